"""A table that makes missing entries by itself saves a test."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="2",
    caught_by=("questions_change_nothing",),
    file="kv_allocator.py",
    changes=(
        (
            """\
        num_blocks_held = len(self.block_tables.get(request_id, ()))
""",
            """\
        num_blocks_held = len(self.block_tables.setdefault(request_id, []))
""",
        ),
    ),
)
