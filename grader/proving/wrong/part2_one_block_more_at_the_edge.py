"""N tokens fill n // block_size blocks, and one more for the rest."""

PART = "2"
CAUGHT_BY = ["tokens_fill_whole_blocks", "growth_by_the_difference", "exactly_the_last_block"]
FILE = "kv_allocator.py"
CHANGES = [
    (
        """\
        num_blocks_wanted = -(-num_tokens // self.block_size)
""",
        """\
        num_blocks_wanted = num_tokens // self.block_size + 1
""",
    ),
]
