"""A victim queues up again like a new request."""

PART = "5"
CAUGHT_BY = ["preempt_front", "preempt_two"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
        self.waiting.move_to_end(request_id, last=False)
""",
        "",
    ),
]
