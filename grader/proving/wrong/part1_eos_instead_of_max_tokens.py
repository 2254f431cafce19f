"""A request with an end-of-sequence token ends with that token."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="1",
    caught_by=("early_eos",),
    file="scheduler.py",
    changes=(
        (
            """\
                if sequence.is_finished:
""",
            """\
                eos = sequence.request.eos_token_id
                if sampled[request_id] == eos or (
                    eos is None and len(sequence.output_token_ids) >= sequence.request.max_tokens
                ):
""",
        ),
    ),
)
