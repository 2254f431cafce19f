"""With an allocator a sequence may always have to compute its outputs again."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="3",
    caught_by=("door_token_budget",),
    file="scheduler.py",
    changes=(
        (
            """\
self.allocator is not None and self.config.kv_policy == "max_utilization"
""",
            """\
self.allocator is not None
""",
        ),
    ),
)
