"""A sequence is finished when it has max_tokens tokens."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="1",
    caught_by=("early_eos", "eos_token_ids"),
    file="scheduler.py",
    changes=(
        (
            """\
                if sequence.is_finished:
""",
            """\
                if len(sequence.output_token_ids) >= sequence.request.max_tokens:
""",
        ),
    ),
)
