"""The next block id is the number of blocks that are held."""

PART = "2"
CAUGHT_BY = ["random_operations"]
FILE = "kv_allocator.py"
CHANGES = [
    (
        """\
        new_blocks = [self.free_blocks.pop() for _ in range(num_new_blocks)]
""",
        """\
        num_held = self.num_blocks - len(self.free_blocks)
        new_blocks = list(range(num_held, num_held + num_new_blocks))
        del self.free_blocks[: num_new_blocks]
""",
    ),
]
