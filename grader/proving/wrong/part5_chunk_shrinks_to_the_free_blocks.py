"""A new sequence whose chunk does not fit into the free blocks can be admitted with a smaller one."""

PART = "5"
CAUGHT_BY = ["random_preemption_with_chunks"]
FILE = "scheduler.py"
CHANGES = [
    (
        "                num_tokens = min(num_tokens, budget)\n",
        "                num_tokens = min(num_tokens, budget)\n                if self.allocator is not None and self.allocator.num_free_blocks:\n                    num_tokens = min(num_tokens, self.allocator.num_free_blocks * self.allocator.block_size)\n",
    )
]
