"""The pool has room for num_blocks * block_size tokens, so the tokens are added up."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="3",
    caught_by=("worst_case_rounded_per_sequence",),
    file="scheduler.py",
    changes=(
        (
            """\
            return self.worst_case_fits(request)
""",
            """\
            if self.allocator is None:
                return True
            tokens = sum(max_computed_tokens(s.request) for s in self.running.values()) + max_computed_tokens(request)
            return tokens <= self.allocator.num_blocks * self.allocator.block_size
""",
        ),
    ),
)
