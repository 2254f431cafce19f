"""Whoever is aborted, the allocator frees its blocks, if there are any."""

PART = "3"
CAUGHT_BY = ["abort_of_one_that_holds_nothing", "door_refused_leaves_nothing"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
            self.waiting.pop(request_id, None)
""",
        """\
            self.waiting.pop(request_id, None)
            if self.allocator is not None:
                self.allocator.free(request_id)
""",
    ),
]
