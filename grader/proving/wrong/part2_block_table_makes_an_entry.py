"""Block_table can make the empty table that it returns."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="2",
    caught_by=("questions_change_nothing",),
    file="kv_allocator.py",
    changes=(
        (
            """\
        return list(self.block_tables.get(request_id, ()))
""",
            """\
        return list(self.block_tables.setdefault(request_id, []))
""",
        ),
    ),
)
