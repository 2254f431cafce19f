"""One block in a hundred stays free at an admission, as vLLM's watermark does it."""

PART = "5"
CAUGHT_BY = ["util_large_pool"]
FILE = "scheduler.py"
CHANGES = [
    (
        "self.allocator.can_allocate(request.request_id, num_tokens)",
        "(self.allocator.can_allocate(request.request_id, num_tokens) and (not self.running or self.allocator.num_free_blocks - self.allocator.blocks_needed(request.request_id, num_tokens) >= self.allocator.num_blocks // 100))",
    ),
]
