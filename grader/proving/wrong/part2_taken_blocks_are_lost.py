"""Blocks that were taken before OutOfBlocks go with the request that failed."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="2",
    caught_by=("all_or_nothing", "exactly_the_last_block"),
    file="kv_allocator.py",
    changes=(
        (
            """\
        if num_new_blocks > self.num_free_blocks:
""",
            """\
        if num_new_blocks > self.num_free_blocks:
            self.free_blocks.clear()
""",
        ),
    ),
)
