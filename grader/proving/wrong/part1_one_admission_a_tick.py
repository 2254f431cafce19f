"""Each boundary admits the first of the queue."""

PART = "1"
CAUGHT_BY = ["continuous_fills_all_free_slots"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
            self.compute(sequence, num_tokens)
            budget -= num_tokens
""",
        """\
            self.compute(sequence, num_tokens)
            break
""",
    ),
]
