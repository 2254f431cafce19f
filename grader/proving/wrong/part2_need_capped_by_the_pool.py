"""Nobody needs more blocks than one more than are free: that is enough to know that it fails."""

PART = "2"
CAUGHT_BY = ["tokens_fill_whole_blocks"]
FILE = "kv_allocator.py"
CHANGES = [
    (
        "        return max(0, num_blocks_wanted - num_blocks_held)",
        "        return min(len(self.free_blocks) + 1, max(0, num_blocks_wanted - num_blocks_held))",
    ),
]
