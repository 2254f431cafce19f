"""Only full blocks go back to the pool."""

PART = "2"
CAUGHT_BY = ["free_gives_all_blocks_back", "free_of_nothing", "freed_blocks_are_used_again"]
FILE = "kv_allocator.py"
CHANGES = [
    (
        """\
        self.free_blocks.extend(self.block_tables.pop(request_id))
""",
        """\
        self.free_blocks.extend(self.block_tables.pop(request_id)[:-1])
""",
    ),
]
