"""N tokens fill n // block_size blocks."""

PART = "2"
CAUGHT_BY = ["tokens_fill_whole_blocks", "growth_by_the_difference", "room_in_the_last_block"]
FILE = "kv_allocator.py"
CHANGES = [
    (
        """\
        num_blocks_wanted = -(-num_tokens // self.block_size)
""",
        """\
        num_blocks_wanted = num_tokens // self.block_size
""",
    ),
]
