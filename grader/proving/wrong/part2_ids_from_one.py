"""The blocks are numbered from 1."""

PART = "2"
CAUGHT_BY = ["blocks_have_one_owner", "random_operations"]
FILE = "kv_allocator.py"
CHANGES = [
    (
        "        self.free_blocks = list(range(num_blocks - 1, -1, -1))",
        "        self.free_blocks = list(range(num_blocks, 0, -1))",
    ),
]
