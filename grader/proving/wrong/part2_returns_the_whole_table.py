"""Allocate returns the request's blocks."""

PART = "2"
CAUGHT_BY = ["growth_by_the_difference", "room_in_the_last_block", "fewer_tokens_add_nothing"]
FILE = "kv_allocator.py"
CHANGES = [
    (
        """\
        return new_blocks
""",
        """\
        return list(self.block_tables[request_id])
""",
    ),
]
