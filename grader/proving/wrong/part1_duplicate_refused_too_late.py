"""The queue can tell that an id came twice after the request was put there."""

PART = "1"
CAUGHT_BY = ["duplicate_id"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
        if request.request_id in self.waiting or request.request_id in self.running:
""",
        """\
        is_here = request.request_id in self.waiting or request.request_id in self.running
        self.waiting[request.request_id] = Sequence(request)
        if is_here:
""",
    ),
]
