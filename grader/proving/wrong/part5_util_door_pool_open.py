"""Max_utilization takes everybody: when the pool is too small, it preempts."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="5",
    caught_by=("util_door_chunked",),
    file="scheduler.py",
    changes=(
        (
            """\
        if self.allocator is not None and self.worst_case_blocks(request) > self.allocator.num_blocks:
""",
            """\
        if self.config.kv_policy == "max_utilization":
            return
        if self.allocator is not None and self.worst_case_blocks(request) > self.allocator.num_blocks:
""",
        ),
    ),
)
