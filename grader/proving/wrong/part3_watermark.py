"""One block in a hundred stays free, as vLLM's watermark does it."""

PART = "3"
CAUGHT_BY = ["worst_case_large_pool"]
FILE = "scheduler.py"
CHANGES = [
    (
        "        return self.reserved_blocks + self.worst_case_blocks(request) <= self.allocator.num_blocks",
        "        return self.reserved_blocks + self.worst_case_blocks(request) <= self.allocator.num_blocks - (self.allocator.num_blocks // 100 if self.running else 0)",
    ),
]
