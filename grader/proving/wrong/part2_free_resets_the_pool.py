"""When a request leaves, the list of free blocks can be made anew."""

PART = "2"
CAUGHT_BY = ["free_gives_all_blocks_back"]
FILE = "kv_allocator.py"
CHANGES = [
    (
        """\
        self.free_blocks.extend(self.block_tables.pop(request_id))
""",
        """\
        del self.block_tables[request_id]
        self.free_blocks = list(range(self.num_blocks))
""",
    ),
]
