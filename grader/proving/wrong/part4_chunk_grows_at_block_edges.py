"""A running sequence needs blocks when c is a multiple of block_size."""

PART = "4"
CAUGHT_BY = ["chunk_blocks_grow", "chunk_mixed"]
FILE = "scheduler.py"
CHANGES = [
    (
        "            if num_tokens > room_in_last_block and not self.grow",
        "            if room_in_last_block == 0 and not self.grow",
    ),
]
