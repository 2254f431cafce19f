"""Nobody makes a pool of no blocks."""

PART = "2"
CAUGHT_BY = ["new_pool"]
FILE = "kv_allocator.py"
CHANGES = [
    (
        """\
        if num_blocks < 1 or block_size < 1:
""",
        """\
        if num_blocks < 0 or block_size < 0:
""",
    ),
]
