"""Min() takes care of the budget: what is left of it may be admitted."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="4",
    caught_by=("chunk_no_budget_left",),
    file="scheduler.py",
    changes=(
        (
            """\
len(self.running) < self.config.max_num_seqs and budget > 0:
""",
            """\
len(self.running) < self.config.max_num_seqs:
""",
        ),
    ),
)
