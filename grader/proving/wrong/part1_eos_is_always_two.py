"""Token 2 is the end-of-sequence token."""

PART = "1"
CAUGHT_BY = ["eos_token_ids"]
FILE = "scheduler.py"
CHANGES = [
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
]
