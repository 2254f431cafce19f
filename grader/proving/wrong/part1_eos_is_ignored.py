"""A sequence is finished when it has max_tokens tokens."""

PART = "1"
CAUGHT_BY = ["early_eos", "eos_token_ids"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
                if sequence.is_finished:
""",
        """\
                if len(sequence.output_token_ids) >= sequence.request.max_tokens:
""",
    ),
]
