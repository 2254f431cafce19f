"""A sequence that leaves gives back as much of the sum as it holds blocks."""

PART = "3"
CAUGHT_BY = ["worst_case_back_after_early_eos"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
            self.reserved_blocks -= self.worst_case_blocks(sequence.request)
""",
        """\
            self.reserved_blocks -= len(self.allocator.block_table(request_id))
""",
    ),
]
