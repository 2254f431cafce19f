"""Under max_utilization a request that might outgrow the budget is refused, with chunking too."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="5",
    caught_by=("util_door_chunked",),
    file="scheduler.py",
    changes=(
        (
            """\
if budget is not None and not self.config.enable_chunked_prefill and longest_prefill > budget:
""",
            """\
can_cut = self.config.enable_chunked_prefill and not may_be_preempted
        if budget is not None and not can_cut and longest_prefill > budget:
""",
        ),
    ),
)
