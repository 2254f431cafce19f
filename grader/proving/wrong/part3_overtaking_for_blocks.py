"""If the worst case of the first doesn't fit, a smaller one may use the blocks."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="3",
    caught_by=("worst_case_nobody_overtakes",),
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
                break
""",
            """\
            if num_tokens > budget:
                break
            if not self.can_admit(sequence.request, num_tokens):
                continue
""",
        ),
    ),
)
