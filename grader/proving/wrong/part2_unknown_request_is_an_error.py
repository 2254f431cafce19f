"""A request must have a table before it can be asked about."""

PART = "2"
CAUGHT_BY = ["tokens_fill_whole_blocks", "growth_by_the_difference", "room_in_the_last_block"]
FILE = "kv_allocator.py"
CHANGES = [
    (
        "len(self.block_tables.get(request_id, ()))",
        "len(self.block_tables[request_id])",
    ),
]
