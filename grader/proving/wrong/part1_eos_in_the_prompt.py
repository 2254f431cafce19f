"""A sequence is finished when the end-of-sequence token is among its tokens."""

PART = "1"
CAUGHT_BY = ["eos_token_ids"]
FILE = "scheduler.py"
CHANGES = [
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
]
