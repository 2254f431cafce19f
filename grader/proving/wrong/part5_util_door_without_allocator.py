"""The stricter rule at the door belongs to max_utilization, allocator or not."""

PART = "5"
CAUGHT_BY = ["util_no_allocator"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
self.allocator is not None and self.config.kv_policy == "max_utilization"
""",
        """\
self.config.kv_policy == "max_utilization"
""",
    ),
]
