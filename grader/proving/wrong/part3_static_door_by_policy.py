"""Under max_utilization nobody is refused for the pool, so static batching refuses nobody either."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="3",
    caught_by=("door_static",),
    file="scheduler.py",
    changes=(
        (
            "    def form_batch(self) -> None:",
            "    def refuse_too_long(self, request):\n        if self.config.kv_policy == 'guaranteed_no_evict':\n            super().refuse_too_long(request)\n\n    def form_batch(self) -> None:",
        ),
    ),
)
