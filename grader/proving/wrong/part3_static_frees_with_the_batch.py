"""A static batch gives its blocks back when all of it is done, as its slots."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="3",
    caught_by=("static_batch_by_worst_cases",),
    file="scheduler.py",
    changes=(
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
    ),
)
