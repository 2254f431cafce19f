"""A sequence is finished when the end-of-sequence token is among its tokens."""

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
                known = [*sequence.request.prompt_token_ids, *sequence.output_token_ids]
                if sequence.request.eos_token_id in known or (
                    len(sequence.output_token_ids) >= sequence.request.max_tokens
                ):
""",
        ),
    ),
)
