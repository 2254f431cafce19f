"""A block holds four tokens, as in all examples."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="3",
    caught_by=("block_sizes",),
    file="scheduler.py",
    changes=(
        (
            """\
        return -(-max_computed_tokens(request) // self.allocator.block_size)
""",
            """\
        return -(-max_computed_tokens(request) // 4)
""",
        ),
    ),
)
