"""The worst cases of the running sequences are reserved; the new one only needs its prompt's blocks."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="3",
    caught_by=("worst_case_not_what_fits_now",),
    file="scheduler.py",
    changes=(
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
    ),
)
