"""One block in a hundred stays free, as vLLM's watermark does it."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="3",
    caught_by=("worst_case_large_pool",),
    file="scheduler.py",
    changes=(
        (
            "        return self.reserved_blocks + self.worst_case_blocks(request) <= self.allocator.num_blocks",
            "        return self.reserved_blocks + self.worst_case_blocks(request) <= self.allocator.num_blocks - (self.allocator.num_blocks // 100 if self.running else 0)",
        ),
    ),
)
