"""The victim is the sequence that has run longest."""

PART = "5"
CAUGHT_BY = ["preempt_last_admitted", "preempt_self", "preempt_two"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
        request_id = next(reversed(self.running))
""",
        """\
        request_id = next(iter(self.running))
""",
    ),
]
