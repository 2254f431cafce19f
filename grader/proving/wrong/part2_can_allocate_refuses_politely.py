"""Can_allocate answers False to a question about no tokens."""

PART = "2"
CAUGHT_BY = ["num_tokens_below_one"]
FILE = "kv_allocator.py"
CHANGES = [
    (
        "        return self.blocks_needed(request_id, num_tokens) <= self.num_free_blocks",
        "        return num_tokens > 0 and self.blocks_needed(request_id, num_tokens) <= self.num_free_blocks",
    ),
]
