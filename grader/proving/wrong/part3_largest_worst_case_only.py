"""The worst cases never come together, so the largest one is reserved."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="3",
    caught_by=("worst_case_pool_exactly_full", "static_batch_by_worst_cases", "static_ignores_other_limits"),
    file="scheduler.py",
    changes=(
        (
            "        return self.reserved_blocks + self.worst_case_blocks(request) <= self.allocator.num_blocks",
            "        return max([self.worst_case_blocks(s.request) for s in self.running.values()], default=0) + self.worst_case_blocks(request) <= self.allocator.num_blocks",
        ),
    ),
)
