"""The blocks needed must be fewer than the free ones."""

PART = "2"
CAUGHT_BY = ["exactly_the_last_block"]
FILE = "kv_allocator.py"
CHANGES = [
    (
        """\
        return self.blocks_needed(request_id, num_tokens) <= self.num_free_blocks
""",
        """\
        return self.blocks_needed(request_id, num_tokens) < self.num_free_blocks
""",
    ),
    (
        """\
        if num_new_blocks > self.num_free_blocks:
""",
        """\
        if num_new_blocks >= self.num_free_blocks:
""",
    ),
]
