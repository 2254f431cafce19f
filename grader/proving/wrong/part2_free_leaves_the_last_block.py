"""Only full blocks go back to the pool."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="2",
    caught_by=("free_gives_all_blocks_back", "free_of_nothing", "freed_blocks_are_used_again"),
    file="kv_allocator.py",
    changes=(
        (
            """\
        self.free_blocks.extend(self.block_tables.pop(request_id))
""",
            """\
        self.free_blocks.extend(self.block_tables.pop(request_id)[:-1])
""",
        ),
    ),
)
