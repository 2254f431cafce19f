"""A request is refused when its worst case is more than what is free now."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="3",
    caught_by=("door_kv_worst_case",),
    file="scheduler.py",
    changes=(
        (
            """\
        if self.allocator is not None and self.worst_case_blocks(request) > self.allocator.num_blocks:
""",
            """\
        if self.allocator is not None and self.worst_case_blocks(request) > self.allocator.num_free_blocks:
""",
        ),
    ),
)
