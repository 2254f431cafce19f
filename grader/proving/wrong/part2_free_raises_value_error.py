"""A wrong argument is a ValueError, in free too."""

PART = "2"
CAUGHT_BY = ["all_or_nothing", "questions_change_nothing", "num_tokens_below_one"]
FILE = "kv_allocator.py"
CHANGES = [
    (
        "        self.free_blocks.extend(self.block_tables.pop(request_id))",
        "        if request_id not in self.block_tables:\n            raise ValueError('x')\n        self.free_blocks.extend(self.block_tables.pop(request_id))",
    ),
]
