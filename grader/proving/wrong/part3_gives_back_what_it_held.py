"""A sequence that leaves gives back as much of the sum as it holds blocks."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="3",
    caught_by=("worst_case_back_after_early_eos",),
    file="scheduler.py",
    changes=(
        (
            """\
            self.reserved_blocks -= self.worst_case_blocks(sequence.request)
""",
            """\
            self.reserved_blocks -= len(self.allocator.block_table(request_id))
""",
        ),
    ),
)
