"""A prompt has to be smaller than what is left of the budget."""

PART = "3"
CAUGHT_BY = ["token_budget_filled_exactly", "token_budget_decodes_first"]
FILE = "scheduler.py"
CHANGES = [
    (
        "num_tokens > budget or not self.can_admit(",
        "num_tokens >= budget or not self.can_admit(",
    ),
]
