"""A victim comes back when its worst case is free, so that it is not evicted again."""

PART = "5"
CAUGHT_BY = ["preempt_again", "preempt_in_recompute"]
FILE = "scheduler.py"
CHANGES = [
    (
        "        return self.allocator is None or self.allocator.can_allocate(request.request_id, num_tokens)",
        "        if self.allocator is not None and self.waiting[request.request_id].output_token_ids:\n            return self.allocator.num_free_blocks >= self.worst_case_blocks(request)\n        return self.allocator is None or self.allocator.can_allocate(request.request_id, num_tokens)",
    ),
]
