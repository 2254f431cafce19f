"""The worst cases together have to be fewer blocks than the pool has."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="3",
    caught_by=("worst_case_pool_exactly_full", "blocks_last_token_needs_none", "static_batch_by_worst_cases"),
    file="scheduler.py",
    changes=(
        (
            "self.reserved_blocks + self.worst_case_blocks(request) <= self.allocator.num_blocks",
            "self.reserved_blocks + self.worst_case_blocks(request) < self.allocator.num_blocks",
        ),
    ),
)
