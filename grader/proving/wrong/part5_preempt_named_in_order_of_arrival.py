"""`preempted` lists the victims as they stand in the queue."""

PART = "5"
CAUGHT_BY = ["preempt_two", "preempt_chunk_needs_two"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
Schedule(self.scheduled, tuple(preempted))
""",
        """\
Schedule(self.scheduled, tuple(reversed(preempted)))
""",
    ),
]
