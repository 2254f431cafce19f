"""The order of the blocks in a table doesn't matter."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="2",
    caught_by=("table_grows_at_its_end", "growth_by_the_difference"),
    file="kv_allocator.py",
    changes=(
        (
            """\
        self.block_tables.setdefault(request_id, []).extend(new_blocks)
""",
            """\
        self.block_tables[request_id] = new_blocks + self.block_tables.get(request_id, [])
""",
        ),
    ),
)
