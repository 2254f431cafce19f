"""`num_blocks < 1 and block_size < 1` refuses what is wrong."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="2",
    caught_by=("new_pool",),
    file="kv_allocator.py",
    changes=(
        (
            "if num_blocks < 1 or block_size < 1:",
            "if num_blocks < 1 and block_size < 1:",
        ),
    ),
)
