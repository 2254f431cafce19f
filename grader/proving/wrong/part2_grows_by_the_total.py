"""Num_tokens are the tokens to add."""

PART = "2"
CAUGHT_BY = ["growth_by_the_difference", "room_in_the_last_block", "fewer_tokens_add_nothing"]
FILE = "kv_allocator.py"
CHANGES = [
    (
        """\
        num_blocks_held = len(self.block_tables.get(request_id, ()))
""",
        """\
        num_blocks_held = 0
""",
    ),
]
