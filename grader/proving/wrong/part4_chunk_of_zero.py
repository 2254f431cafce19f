"""Min() takes care of the budget: what is left of it may be admitted."""

PART = "4"
CAUGHT_BY = ["chunk_no_budget_left"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
len(self.running) < self.config.max_num_seqs and budget > 0:
""",
        """\
len(self.running) < self.config.max_num_seqs:
""",
    ),
]
