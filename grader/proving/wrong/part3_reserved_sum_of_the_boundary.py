"""The sum over the running sequences is made once, before admission begins."""

PART = "3"
CAUGHT_BY = ["worst_case_pool_exactly_full", "worst_case_not_what_fits_now"]
FILE = "scheduler.py"
CHANGES = [
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
]
