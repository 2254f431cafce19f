"""The sum over the running sequences is made once, before admission begins."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="3",
    caught_by=("worst_case_pool_exactly_full", "worst_case_not_what_fits_now"),
    file="scheduler.py",
    changes=(
        (
            """\
        preempted: list[str] = []
""",
            """\
        preempted: list[str] = []
        self.reserved_at_boundary = self.reserved_blocks
""",
        ),
        (
            """\
            return self.worst_case_fits(request)
""",
            """\
            return self.allocator is None or (
                self.reserved_at_boundary + self.worst_case_blocks(request) <= self.allocator.num_blocks
            )
""",
        ),
    ),
)
