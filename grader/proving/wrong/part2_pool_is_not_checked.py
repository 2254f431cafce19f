"""Nobody makes a pool of no blocks."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="2",
    caught_by=("new_pool",),
    file="kv_allocator.py",
    changes=(
        (
            """\
        if num_blocks < 1 or block_size < 1:
""",
            """\
        if num_blocks < 0 or block_size < 0:
""",
        ),
    ),
)
