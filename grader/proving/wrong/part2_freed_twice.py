"""The table of a request that was freed does no harm."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="2",
    caught_by=("free_of_nothing", "free_gives_all_blocks_back", "freed_blocks_are_used_again"),
    file="kv_allocator.py",
    changes=(
        (
            """\
        self.free_blocks.extend(self.block_tables.pop(request_id))
""",
            """\
        self.free_blocks.extend(self.block_tables[request_id])
""",
        ),
    ),
)
