"""At most two prompts are begun in a tick."""

PART = "3"
CAUGHT_BY = ["random_both_budgets"]
FILE = "scheduler.py"
CHANGES = [
    (
        "            self.compute(sequence, num_tokens)\n            budget -= num_tokens",
        "            self.compute(sequence, num_tokens)\n            budget -= num_tokens\n            if sum(1 for i in self.scheduled if not self.running[i].num_computed_tokens) == 2:\n                break",
    ),
]
