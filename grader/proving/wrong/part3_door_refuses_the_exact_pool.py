"""A request whose worst case is the whole pool is too long."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="3",
    caught_by=("door_kv_worst_case", "door_static"),
    file="scheduler.py",
    changes=(
        (
            """\
        if self.allocator is not None and self.worst_case_blocks(request) > self.allocator.num_blocks:
""",
            """\
        if self.allocator is not None and self.worst_case_blocks(request) >= self.allocator.num_blocks:
""",
        ),
    ),
)
