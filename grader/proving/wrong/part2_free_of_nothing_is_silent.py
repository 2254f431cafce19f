"""Nothing to give back is no error."""

PART = "2"
CAUGHT_BY = ["free_of_nothing"]
FILE = "kv_allocator.py"
CHANGES = [
    (
        """\
        self.free_blocks.extend(self.block_tables.pop(request_id))
""",
        """\
        self.free_blocks.extend(self.block_tables.pop(request_id, ()))
""",
    ),
]
