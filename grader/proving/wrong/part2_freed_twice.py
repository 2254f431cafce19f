"""The table of a request that was freed does no harm."""

PART = "2"
CAUGHT_BY = ["free_of_nothing", "free_gives_all_blocks_back", "freed_blocks_are_used_again"]
FILE = "kv_allocator.py"
CHANGES = [
    (
        """\
        self.free_blocks.extend(self.block_tables.pop(request_id))
""",
        """\
        self.free_blocks.extend(self.block_tables[request_id])
""",
    ),
]
