"""A sequence leaves when it has more than max_tokens tokens."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="1",
    caught_by=("early_eos", "static_slot_stays_empty", "continuous_slot_is_refilled"),
    file="scheduler.py",
    changes=(
        (
            """\
                if sequence.is_finished:
""",
            """\
                if sampled[request_id] == sequence.request.eos_token_id or (
                    len(sequence.output_token_ids) > sequence.request.max_tokens
                ):
""",
        ),
    ),
)
