"""A request that was freed has an empty table, and an empty table can be freed again."""

PART = "2"
CAUGHT_BY = ["free_of_nothing"]
FILE = "kv_allocator.py"
CHANGES = [
    (
        """\
        self.free_blocks.extend(self.block_tables.pop(request_id))
""",
        """\
        self.free_blocks.extend(self.block_tables[request_id])
        self.block_tables[request_id] = []
""",
    ),
]
