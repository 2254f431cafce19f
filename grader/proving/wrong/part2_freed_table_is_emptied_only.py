"""A request that was freed has an empty table, and an empty table can be freed again."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="2",
    caught_by=("free_of_nothing",),
    file="kv_allocator.py",
    changes=(
        (
            """\
        self.free_blocks.extend(self.block_tables.pop(request_id))
""",
            """\
        self.free_blocks.extend(self.block_tables[request_id])
        self.block_tables[request_id] = []
""",
        ),
    ),
)
