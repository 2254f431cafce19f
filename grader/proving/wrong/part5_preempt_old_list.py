"""The running list as it was at the start of the boundary can be walked to its end."""

PART = "5"
CAUGHT_BY = ["preempt_last_admitted", "preempt_two", "preempt_chunk_needs_two"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
            if budget == 0 or (preempted and request_id not in self.running):
""",
        """\
            if budget == 0:
""",
    ),
]
