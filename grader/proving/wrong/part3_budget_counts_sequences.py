"""A sequence that is admitted costs one of the budget."""

PART = "3"
CAUGHT_BY = ["token_budget_whole_prompt_waits", "token_budget_filled_exactly", "token_budget_nobody_overtakes"]
FILE = "scheduler.py"
CHANGES = [
    (
        "            self.compute(sequence, num_tokens)\n            budget -= num_tokens",
        "            self.compute(sequence, num_tokens)\n            budget -= 1",
    ),
]
