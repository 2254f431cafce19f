"""First the worst case is reserved, then the token budget is looked at."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="3",
    caught_by=("two_budgets_together",),
    file="scheduler.py",
    changes=(
        (
            """\
            if num_tokens > budget or not self.can_admit(sequence.request, num_tokens):
                break
""",
            """\
            if not self.can_admit(sequence.request, num_tokens):
                break
            self.reserved_blocks += self.worst_case_blocks(sequence.request)
            if num_tokens > budget:
                break
            self.reserved_blocks -= self.worst_case_blocks(sequence.request)
""",
        ),
    ),
)
