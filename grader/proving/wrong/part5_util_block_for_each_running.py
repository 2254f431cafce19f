"""At an admission every running sequence needs a free block for its next token."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="5",
    caught_by=("util_large_pool", "util_admission_blocked", "util_full_pool"),
    file="scheduler.py",
    changes=(
        (
            "self.allocator.can_allocate(request.request_id, num_tokens)",
            "(self.allocator.num_free_blocks - self.allocator.blocks_needed(request.request_id, num_tokens) >= len(self.running))",
        ),
    ),
)
