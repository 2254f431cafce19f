"""A chunk ends at the edge of a block."""

PART = "4"
CAUGHT_BY = ["random_chunks_with_blocks"]
FILE = "scheduler.py"
CHANGES = [
    (
        "                num_tokens = min(num_tokens, budget)\n            if num_tokens > budget",
        "                num_tokens = min(num_tokens, budget)\n                if self.allocator and num_tokens < sequence.num_uncomputed_tokens and num_tokens > self.allocator.block_size:\n                    num_tokens -= num_tokens % self.allocator.block_size\n            if num_tokens > budget",
    ),
]
