"""A prefill of a sequence with outputs can't be its last tick; the end is looked for after decodes."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="5",
    caught_by=("preempt_eos", "preempt_last_admitted"),
    file="scheduler.py",
    changes=(
        (
            """\
                if sequence.is_finished:
""",
            """\
                is_recompute = num_tokens > 1 and len(sequence.output_token_ids) > 1
                if sequence.is_finished and not is_recompute:
""",
        ),
    ),
)
