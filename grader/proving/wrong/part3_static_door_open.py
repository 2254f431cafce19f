"""Only continuous batching refuses requests."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="3",
    caught_by=("door_static", "door_duplicate_looked_at_first", "door_refused_leaves_nothing"),
    file="scheduler.py",
    changes=(
        (
            """\
        if self.allocator is not None and self.worst_case_blocks(request) > self.allocator.num_blocks:
""",
            """\
        if (
            isinstance(self, ContinuousScheduler)
            and self.allocator is not None
            and self.worst_case_blocks(request) > self.allocator.num_blocks
        ):
""",
        ),
    ),
)
