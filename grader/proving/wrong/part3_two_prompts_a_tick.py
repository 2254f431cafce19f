"""At most two prompts are begun in a tick."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="3",
    caught_by=("random_both_budgets",),
    file="scheduler.py",
    changes=(
        (
            "            self.compute(sequence, num_tokens)\n            budget -= num_tokens",
            "            self.compute(sequence, num_tokens)\n            budget -= num_tokens\n            if sum(1 for i in self.scheduled if not self.running[i].num_computed_tokens) == 2:\n                break",
        ),
    ),
)
