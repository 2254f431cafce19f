"""A request whose worst case is the whole pool is too long."""

PART = "3"
CAUGHT_BY = ["door_kv_worst_case", "door_static"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
        if self.allocator is not None and self.worst_case_blocks(request) > self.allocator.num_blocks:
""",
        """\
        if self.allocator is not None and self.worst_case_blocks(request) >= self.allocator.num_blocks:
""",
    ),
]
