"""A request can have blocks if the pool has as many."""

PART = "2"
CAUGHT_BY = ["tokens_fill_whole_blocks", "room_in_the_last_block", "exactly_the_last_block"]
FILE = "kv_allocator.py"
CHANGES = [
    (
        """\
        return self.blocks_needed(request_id, num_tokens) <= self.num_free_blocks
""",
        """\
        return self.blocks_needed(request_id, num_tokens) <= self.num_blocks
""",
    ),
]
