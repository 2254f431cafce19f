"""A chunk ends at the edge of a block."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="4",
    caught_by=("random_chunks_with_blocks",),
    file="scheduler.py",
    changes=(
        (
            "                num_tokens = min(num_tokens, budget)\n            if num_tokens > budget",
            "                num_tokens = min(num_tokens, budget)\n                if self.allocator and num_tokens < sequence.num_uncomputed_tokens and num_tokens > self.allocator.block_size:\n                    num_tokens -= num_tokens % self.allocator.block_size\n            if num_tokens > budget",
        ),
    ),
)
