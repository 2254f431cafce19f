"""One block in a hundred stays free at an admission, as vLLM's watermark does it."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="5",
    caught_by=("util_large_pool",),
    file="scheduler.py",
    changes=(
        (
            "self.allocator.can_allocate(request.request_id, num_tokens)",
            "(self.allocator.can_allocate(request.request_id, num_tokens) and (not self.running or self.allocator.num_free_blocks - self.allocator.blocks_needed(request.request_id, num_tokens) >= self.allocator.num_blocks // 100))",
        ),
    ),
)
