"""The victim is the sequence that loses the fewest computed tokens."""

PART = "5"
CAUGHT_BY = ["preempt_last_admitted"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
        request_id = next(reversed(self.running))
""",
        """\
        request_id = min(
            reversed(self.running), key=lambda running_id: self.running[running_id].num_computed_tokens
        )
""",
    ),
]
