"""A sequence can be admitted when its own worst case fits into the blocks that are free now."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="3",
    caught_by=("worst_case_of_running_sequences",),
    file="scheduler.py",
    changes=(
        (
            """\
            return self.worst_case_fits(request)
""",
            """\
            return self.allocator is None or (
                self.worst_case_blocks(request) <= self.allocator.num_free_blocks
            )
""",
        ),
    ),
)
