"""A request's blocks are 0, 1, 2, ..."""

PART = "2"
CAUGHT_BY = ["blocks_have_one_owner", "random_operations"]
FILE = "kv_allocator.py"
CHANGES = [
    (
        """\
        new_blocks = [self.free_blocks.pop() for _ in range(num_new_blocks)]
""",
        """\
        num_held = len(self.block_tables.get(request_id, ()))
        del self.free_blocks[: num_new_blocks]
        new_blocks = list(range(num_held, num_held + num_new_blocks))
""",
    ),
]
