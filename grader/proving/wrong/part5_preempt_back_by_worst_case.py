"""A victim comes back when its worst case is free, so that it is not evicted again."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="5",
    caught_by=("preempt_again", "preempt_in_recompute"),
    file="scheduler.py",
    changes=(
        (
            "        return self.allocator is None or self.allocator.can_allocate(request.request_id, num_tokens)",
            "        if self.allocator is not None and self.waiting[request.request_id].output_token_ids:\n            return self.allocator.num_free_blocks >= self.worst_case_blocks(request)\n        return self.allocator is None or self.allocator.can_allocate(request.request_id, num_tokens)",
        ),
    ),
)
