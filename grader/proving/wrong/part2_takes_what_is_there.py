"""When the blocks run out, that is the moment to raise OutOfBlocks."""

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
            self.block_tables.setdefault(request_id, []).extend(self.free_blocks)
            self.free_blocks.clear()
""",
        ),
    ),
)
