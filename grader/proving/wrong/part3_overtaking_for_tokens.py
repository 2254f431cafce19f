"""If the first prompt doesn't fit into the budget, a shorter one may use it."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="3",
    caught_by=("token_budget_nobody_overtakes",),
    file="scheduler.py",
    changes=(
        (
            """\
        while self.waiting and len(self.running) < self.config.max_num_seqs and budget > 0:
            sequence = next(iter(self.waiting.values()))
""",
            """\
        for sequence in list(self.waiting.values()):
            if len(self.running) == self.config.max_num_seqs or budget == 0:
                break
""",
        ),
        (
            """\
            if num_tokens > budget or not self.can_admit(sequence.request, num_tokens):
""",
            """\
            if num_tokens > budget:
                continue
            if not self.can_admit(sequence.request, num_tokens):
""",
        ),
    ),
)
