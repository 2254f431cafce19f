"""A table that makes missing entries by itself saves a test."""

PART = "2"
CAUGHT_BY = ["questions_change_nothing"]
FILE = "kv_allocator.py"
CHANGES = [
    (
        """\
        num_blocks_held = len(self.block_tables.get(request_id, ()))
""",
        """\
        num_blocks_held = len(self.block_tables.setdefault(request_id, []))
""",
    ),
]
