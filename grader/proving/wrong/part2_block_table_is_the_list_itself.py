"""Block_table can return the list that the allocator keeps."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="2",
    caught_by=("block_table_is_a_copy",),
    file="kv_allocator.py",
    changes=(
        (
            """\
        return list(self.block_tables.get(request_id, ()))
""",
            """\
        return self.block_tables.get(request_id, [])
""",
        ),
    ),
)
