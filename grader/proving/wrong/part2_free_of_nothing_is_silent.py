"""Nothing to give back is no error."""

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
        self.free_blocks.extend(self.block_tables.pop(request_id, ()))
""",
        ),
    ),
)
