"""Pop() takes the next one from the queue."""

PART = "1"
CAUGHT_BY = ["continuous_first_come_first_served"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
            sequence = next(iter(self.waiting.values()))
            num_tokens = min(sequence.num_uncomputed_tokens""",
        """\
            sequence = next(reversed(self.waiting.values()))
            num_tokens = min(sequence.num_uncomputed_tokens""",
    ),
]
