"""A running sequence may still generate max_tokens, on top of all that it knows."""

PART = "3"
CAUGHT_BY = ["worst_case_pool_exactly_full"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
            return self.worst_case_fits(request)
""",
        """\
            if self.allocator is None:
                return True
            size = self.allocator.block_size
            reserved = sum(-(-(s.num_tokens + s.request.max_tokens - 1) // size) for s in self.running.values())
            return reserved + self.worst_case_blocks(request) <= self.allocator.num_blocks
""",
    ),
]
