"""Num_blocks is the number of blocks that are left."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="2",
    caught_by=("growth_by_the_difference",),
    file="kv_allocator.py",
    changes=(
        (
            "        return len(self.free_blocks)",
            "        return self.num_blocks",
        ),
        (
            "        self.block_tables.setdefault(request_id, []).extend(new_blocks)\n        return new_blocks",
            "        self.num_blocks -= len(new_blocks)\n        self.block_tables.setdefault(request_id, []).extend(new_blocks)\n        return new_blocks",
        ),
        (
            "        self.free_blocks.extend(self.block_tables.pop(request_id))",
            "        self.num_blocks += len(self.block_tables[request_id])\n        self.free_blocks.extend(self.block_tables.pop(request_id))",
        ),
    ),
)
