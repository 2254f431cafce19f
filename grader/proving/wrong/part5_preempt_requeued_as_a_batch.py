"""The victims of a boundary are put before the queue together, in the order in which they were evicted."""

PART = "5"
CAUGHT_BY = ["preempt_two", "preempt_chunk_needs_two"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
        if not preempted:
            self.admit(budget)
""",
        """\
        if not preempted:
            self.admit(budget)
        for request_id in reversed(preempted):
            self.waiting.move_to_end(request_id, last=False)
""",
    ),
]
