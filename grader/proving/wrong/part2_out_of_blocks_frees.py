"""When a request can't grow, it has to give back what it holds."""

PART = "2"
CAUGHT_BY = ["all_or_nothing", "exactly_the_last_block"]
FILE = "kv_allocator.py"
CHANGES = [
    (
        "            raise OutOfBlocks(f",
        "            self.free_blocks.extend(self.block_tables.pop(request_id, []))\n            raise OutOfBlocks(f",
    ),
]
