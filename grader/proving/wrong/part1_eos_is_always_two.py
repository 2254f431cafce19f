"""Token 2 is the end-of-sequence token."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="1",
    caught_by=("eos_token_ids",),
    file="scheduler.py",
    changes=(
        (
            """\
                if sequence.is_finished:
""",
            """\
                if sampled[request_id] == 2 or (
                    len(sequence.output_token_ids) >= sequence.request.max_tokens
                ):
""",
        ),
    ),
)
