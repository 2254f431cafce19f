"""A request with an end-of-sequence token ends with that token."""

PART = "1"
CAUGHT_BY = ["early_eos"]
FILE = "scheduler.py"
CHANGES = [
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
]
