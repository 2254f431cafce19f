"""The blocks are numbered from 1."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="2",
    caught_by=("blocks_have_one_owner", "random_operations"),
    file="kv_allocator.py",
    changes=(
        (
            "        self.free_blocks = list(range(num_blocks - 1, -1, -1))",
            "        self.free_blocks = list(range(num_blocks, 0, -1))",
        ),
    ),
)
