"""The stricter rule at the door belongs to max_utilization, allocator or not."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="5",
    caught_by=("util_no_allocator",),
    file="scheduler.py",
    changes=(
        (
            """\
self.allocator is not None and self.config.kv_policy == "max_utilization"
""",
            """\
self.config.kv_policy == "max_utilization"
""",
        ),
    ),
)
