"""When a request can't grow, it has to give back what it holds."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="2",
    caught_by=("all_or_nothing", "exactly_the_last_block"),
    file="kv_allocator.py",
    changes=(
        (
            "            raise OutOfBlocks(f",
            "            self.free_blocks.extend(self.block_tables.pop(request_id, []))\n            raise OutOfBlocks(f",
        ),
    ),
)
