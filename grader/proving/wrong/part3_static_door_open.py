"""Only continuous batching refuses requests."""

PART = "3"
CAUGHT_BY = ["door_static", "door_duplicate_looked_at_first", "door_refused_leaves_nothing"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
        if self.allocator is not None and self.worst_case_blocks(request) > self.allocator.num_blocks:
""",
        """\
        if (
            isinstance(self, ContinuousScheduler)
            and self.allocator is not None
            and self.worst_case_blocks(request) > self.allocator.num_blocks
        ):
""",
    ),
]
