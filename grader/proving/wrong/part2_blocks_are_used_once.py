"""The next block to hand out is the one after the last."""

PART = "2"
CAUGHT_BY = ["freed_blocks_are_used_again", "random_operations"]
FILE = "kv_allocator.py"
CHANGES = [
    (
        """\
        self.block_tables: dict[str, list[int]] = {}
""",
        """\
        self.block_tables: dict[str, list[int]] = {}
        self.next_block = 0
""",
    ),
    (
        """\
        new_blocks = [self.free_blocks.pop() for _ in range(num_new_blocks)]
""",
        """\
        new_blocks = list(range(self.next_block, self.next_block + num_new_blocks))
        self.next_block += num_new_blocks
        del self.free_blocks[: num_new_blocks]
""",
    ),
]
