"""If the worst case of the first doesn't fit, a smaller one may use the blocks."""

PART = "3"
CAUGHT_BY = ["worst_case_nobody_overtakes"]
FILE = "scheduler.py"
CHANGES = [
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
]
