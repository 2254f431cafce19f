"""With an allocator a sequence may always have to compute its outputs again."""

PART = "3"
CAUGHT_BY = ["door_token_budget"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
self.allocator is not None and self.config.kv_policy == "max_utilization"
""",
        """\
self.allocator is not None
""",
    ),
]
