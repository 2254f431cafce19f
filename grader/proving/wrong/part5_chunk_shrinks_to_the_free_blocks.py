"""A new sequence whose chunk does not fit into the free blocks can be admitted with a smaller one."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="5",
    caught_by=("random_preemption_with_chunks",),
    file="scheduler.py",
    changes=(
        (
            "                num_tokens = min(num_tokens, budget)\n",
            "                num_tokens = min(num_tokens, budget)\n                if self.allocator is not None and self.allocator.num_free_blocks:\n                    num_tokens = min(num_tokens, self.allocator.num_free_blocks * self.allocator.block_size)\n",
        ),
    ),
)
