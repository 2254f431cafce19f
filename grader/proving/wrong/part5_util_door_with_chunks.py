"""Under max_utilization a request that might outgrow the budget is refused, with chunking too."""

PART = "5"
CAUGHT_BY = ["util_door_chunked"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
if budget is not None and not self.config.enable_chunked_prefill and longest_prefill > budget:
""",
        """\
can_cut = self.config.enable_chunked_prefill and not may_be_preempted
        if budget is not None and not can_cut and longest_prefill > budget:
""",
    ),
]
