"""The order of the blocks in a table doesn't matter."""

PART = "2"
CAUGHT_BY = ["table_grows_at_its_end", "growth_by_the_difference"]
FILE = "kv_allocator.py"
CHANGES = [
    (
        """\
        self.block_tables.setdefault(request_id, []).extend(new_blocks)
""",
        """\
        self.block_tables[request_id] = new_blocks + self.block_tables.get(request_id, [])
""",
    ),
]
