"""A table reads better in the order of the ids."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="2",
    caught_by=("table_grows_at_its_end",),
    file="kv_allocator.py",
    changes=(
        (
            """\
        return list(self.block_tables.get(request_id, ()))
""",
            """\
        return sorted(self.block_tables.get(request_id, ()))
""",
        ),
    ),
)
