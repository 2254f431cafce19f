"""A sequence can be admitted when its own worst case fits into the blocks that are free now."""

PART = "3"
CAUGHT_BY = ["worst_case_of_running_sequences"]
FILE = "scheduler.py"
CHANGES = [
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
]
