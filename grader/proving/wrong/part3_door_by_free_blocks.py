"""A request is refused when its worst case is more than what is free now."""

PART = "3"
CAUGHT_BY = ["door_kv_worst_case"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
        if self.allocator is not None and self.worst_case_blocks(request) > self.allocator.num_blocks:
""",
        """\
        if self.allocator is not None and self.worst_case_blocks(request) > self.allocator.num_free_blocks:
""",
    ),
]
