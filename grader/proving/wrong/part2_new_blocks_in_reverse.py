"""The order of the ids that allocate returns does not matter."""

PART = "2"
CAUGHT_BY = ["tokens_fill_whole_blocks", "growth_by_the_difference", "room_in_the_last_block"]
FILE = "kv_allocator.py"
CHANGES = [
    (
        "        self.block_tables.setdefault(request_id, []).extend(new_blocks)\n        return new_blocks",
        "        self.block_tables.setdefault(request_id, []).extend(new_blocks)\n        return new_blocks[::-1]",
    ),
]
