"""The worst cases never come together, so the largest one is reserved."""

PART = "3"
CAUGHT_BY = ["worst_case_pool_exactly_full", "static_batch_by_worst_cases", "static_ignores_other_limits"]
FILE = "scheduler.py"
CHANGES = [
    (
        "        return self.reserved_blocks + self.worst_case_blocks(request) <= self.allocator.num_blocks",
        "        return max([self.worst_case_blocks(s.request) for s in self.running.values()], default=0) + self.worst_case_blocks(request) <= self.allocator.num_blocks",
    ),
]
