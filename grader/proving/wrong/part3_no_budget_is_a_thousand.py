"""Without a token budget a thousand tokens a tick are enough."""

PART = "3"
CAUGHT_BY = ["token_budget_none"]
FILE = "scheduler.py"
CHANGES = [
    (
        "self.config.max_num_batched_tokens or sys.maxsize",
        "self.config.max_num_batched_tokens or 1000",
    ),
]
