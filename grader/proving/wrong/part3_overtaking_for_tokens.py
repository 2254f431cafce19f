"""If the first prompt doesn't fit into the budget, a shorter one may use it."""

PART = "3"
CAUGHT_BY = ["token_budget_nobody_overtakes"]
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
""",
        """\
            if num_tokens > budget:
                continue
            if not self.can_admit(sequence.request, num_tokens):
""",
    ),
]
