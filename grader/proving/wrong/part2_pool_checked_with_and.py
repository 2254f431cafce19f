"""`num_blocks < 1 and block_size < 1` refuses what is wrong."""

PART = "2"
CAUGHT_BY = ["new_pool"]
FILE = "kv_allocator.py"
CHANGES = [
    (
        "if num_blocks < 1 or block_size < 1:",
        "if num_blocks < 1 and block_size < 1:",
    ),
]
