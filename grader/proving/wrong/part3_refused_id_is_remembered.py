"""An id that was refused once counts as known."""

PART = "3"
CAUGHT_BY = ["door_refused_leaves_nothing"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
        self.reserved_blocks = 0  # sum of the running sequences' worst cases
""",
        """\
        self.reserved_blocks = 0  # sum of the running sequences' worst cases
        self.known: set[str] = set()
""",
    ),
    (
        """\
        if request.request_id in self.waiting or request.request_id in self.running:
""",
        """\
        if request.request_id in self.known:
""",
    ),
    (
        """\
        self.refuse_too_long(request)
        self.waiting[request.request_id] = Sequence(request)
""",
        """\
        self.known.add(request.request_id)
        self.refuse_too_long(request)
        self.waiting[request.request_id] = Sequence(request)
""",
    ),
    (
        """\
            self.waiting.pop(request_id, None)
""",
        """\
            if self.waiting.pop(request_id, None) is not None:
                self.known.discard(request_id)
""",
    ),
    (
        """\
        sequence = self.running.pop(request_id)
""",
        """\
        sequence = self.running.pop(request_id)
        self.known.discard(request_id)
""",
    ),
]
