"""The request is put into the queue, then its length is looked at."""

PART = "3"
CAUGHT_BY = ["door_refused_leaves_nothing", "door_kv_worst_case"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
        self.refuse_too_long(request)
        self.waiting[request.request_id] = Sequence(request)
""",
        """\
        self.waiting[request.request_id] = Sequence(request)
        self.refuse_too_long(request)
""",
    ),
]
