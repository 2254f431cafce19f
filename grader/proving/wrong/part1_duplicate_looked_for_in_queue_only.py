"""An id is taken while it is in the queue."""

PART = "1"
CAUGHT_BY = ["duplicate_id"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
        if request.request_id in self.waiting or request.request_id in self.running:
""",
        """\
        if request.request_id in self.waiting:
""",
    ),
]
