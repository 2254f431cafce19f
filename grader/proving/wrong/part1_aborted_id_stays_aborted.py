"""A set of aborted ids tells whom to drop, whenever they come."""

PART = "1"
CAUGHT_BY = ["id_comes_again"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
        self.scheduled: dict[str, int] = {}  # this tick's decision, for update()
""",
        """\
        self.scheduled: dict[str, int] = {}  # this tick's decision, for update()
        self.hung_up: set[str] = set()
""",
    ),
    (
        """\
        if request_id in self.running:
            self.stop(request_id)
        else:
            self.waiting.pop(request_id, None)
""",
        """\
        self.hung_up.add(request_id)
        if request_id in self.running:
            self.stop(request_id)
        else:
            self.waiting.pop(request_id, None)
""",
    ),
    (
        """\
        self.waiting[request.request_id] = Sequence(request)
""",
        """\
        if request.request_id not in self.hung_up:
            self.waiting[request.request_id] = Sequence(request)
""",
    ),
]
