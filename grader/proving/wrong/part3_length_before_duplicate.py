"""The order of the two checks at the door does not matter."""

PART = "3"
CAUGHT_BY = ["door_duplicate_looked_at_first"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
        if request.request_id in self.waiting or request.request_id in self.running:
""",
        """\
        self.refuse_too_long(request)
        if request.request_id in self.waiting or request.request_id in self.running:
""",
    ),
    (
        """\
        self.refuse_too_long(request)
        self.waiting[request.request_id] = Sequence(request)
""",
        """\
        self.waiting[request.request_id] = Sequence(request)
""",
    ),
]
