"""The blocks needed must be fewer than the free ones."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="2",
    caught_by=("exactly_the_last_block",),
    file="kv_allocator.py",
    changes=(
        (
            """\
        return self.blocks_needed(request_id, num_tokens) <= self.num_free_blocks
""",
            """\
        return self.blocks_needed(request_id, num_tokens) < self.num_free_blocks
""",
        ),
        (
            """\
        if num_new_blocks > self.num_free_blocks:
""",
            """\
        if num_new_blocks >= self.num_free_blocks:
""",
        ),
    ),
)
