"""Nobody needs more blocks than one more than are free: that is enough to know that it fails."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="2",
    caught_by=("tokens_fill_whole_blocks",),
    file="kv_allocator.py",
    changes=(
        (
            "        return max(0, num_blocks_wanted - num_blocks_held)",
            "        return min(len(self.free_blocks) + 1, max(0, num_blocks_wanted - num_blocks_held))",
        ),
    ),
)
