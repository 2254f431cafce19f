"""Can_allocate compares the blocks of num_tokens with the free ones."""

PART = "2"
CAUGHT_BY = ["growth_by_the_difference", "room_in_the_last_block", "exactly_the_last_block"]
FILE = "kv_allocator.py"
CHANGES = [
    (
        """\
        return self.blocks_needed(request_id, num_tokens) <= self.num_free_blocks
""",
        """\
        return self.blocks_needed('', num_tokens) <= self.num_free_blocks
""",
    ),
]
