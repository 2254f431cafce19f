"""At admission one block more than the prompt needs must be free, for the token that comes next."""

PART = "5"
CAUGHT_BY = ["util_full_pool", "preempt_last_admitted", "preempt_two", "preempt_admits_nobody"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
        return self.allocator is None or self.allocator.can_allocate(request.request_id, num_tokens)
""",
        """\
        if self.allocator is None:
            return True
        return self.allocator.blocks_needed(request.request_id, num_tokens) < self.allocator.num_free_blocks
""",
    ),
]
