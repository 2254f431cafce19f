"""Max_utilization takes everybody: when the pool is too small, it preempts."""

PART = "5"
CAUGHT_BY = ["util_door_chunked"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
        if self.allocator is not None and self.worst_case_blocks(request) > self.allocator.num_blocks:
""",
        """\
        if self.config.kv_policy == "max_utilization":
            return
        if self.allocator is not None and self.worst_case_blocks(request) > self.allocator.num_blocks:
""",
    ),
]
