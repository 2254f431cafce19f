"""When the blocks run out, that is the moment to raise OutOfBlocks."""

PART = "2"
CAUGHT_BY = ["all_or_nothing", "exactly_the_last_block"]
FILE = "kv_allocator.py"
CHANGES = [
    (
        """\
        if num_new_blocks > self.num_free_blocks:
""",
        """\
        if num_new_blocks > self.num_free_blocks:
            self.block_tables.setdefault(request_id, []).extend(self.free_blocks)
            self.free_blocks.clear()
""",
    ),
]
