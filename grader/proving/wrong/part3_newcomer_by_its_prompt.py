"""The worst cases of the running sequences are reserved; the new one only needs its prompt's blocks."""

PART = "3"
CAUGHT_BY = ["worst_case_not_what_fits_now"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
            return self.worst_case_fits(request)
""",
        """\
            return self.allocator is None or (
                self.reserved_blocks + -(-num_tokens // self.allocator.block_size) <= self.allocator.num_blocks
            )
""",
    ),
]
