"""A block holds four tokens, as in all examples."""

PART = "3"
CAUGHT_BY = ["block_sizes"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
        return -(-max_computed_tokens(request) // self.allocator.block_size)
""",
        """\
        return -(-max_computed_tokens(request) // 4)
""",
    ),
]
