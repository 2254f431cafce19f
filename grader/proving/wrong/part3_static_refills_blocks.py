"""The blocks of a finished sequence of a static batch serve the next in the queue at once."""

PART = "3"
CAUGHT_BY = ["static_batch_by_worst_cases"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
        if not self.running:
            self.form_batch()
""",
        """\
        if not self.running or self.allocator is not None:
            self.form_batch()
""",
    ),
]
