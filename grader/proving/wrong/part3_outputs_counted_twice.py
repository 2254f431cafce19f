"""A running sequence may still generate max_tokens, on top of all that it knows."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="3",
    caught_by=("worst_case_pool_exactly_full",),
    file="scheduler.py",
    changes=(
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
    ),
)
