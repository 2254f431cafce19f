"""Who computes one token decodes, and a new decode costs nothing."""

PART = "3"
CAUGHT_BY = ["token_budget_nobody_overtakes"]
FILE = "scheduler.py"
CHANGES = [
    (
        "            self.compute(sequence, num_tokens)\n            budget -= num_tokens",
        "            self.compute(sequence, num_tokens)\n            budget -= num_tokens if num_tokens > 1 else 0",
    ),
]
