"""A static batch gives its blocks back when all of it is done, as its slots."""

PART = "3"
CAUGHT_BY = ["static_batch_by_worst_cases"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
        self.reserved_blocks = 0  # sum of the running sequences' worst cases
""",
        """\
        self.reserved_blocks = 0  # sum of the running sequences' worst cases
        self.done: list[str] = []
""",
    ),
    (
        """\
            self.allocator.free(request_id)
""",
        """\
        self.done.append(request_id)
        if self.allocator is not None and not (isinstance(self, StaticScheduler) and self.running):
            for request_id in self.done:
                self.allocator.free(request_id)
            self.done = []
""",
    ),
]
