"""A heap of ids keeps the queue in order."""

PART = "1"
CAUGHT_BY = ["continuous_first_come_first_served"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
            sequence = next(iter(self.waiting.values()))
            num_tokens = min(sequence.num_uncomputed_tokens""",
        """\
            sequence = self.waiting[min(self.waiting)]
            num_tokens = min(sequence.num_uncomputed_tokens""",
    ),
]
