"""A prompt longer than the budget is refused, chunking or not."""

PART = "4"
CAUGHT_BY = ["chunk_longer_than_budget", "chunk_no_budget_left"]
FILE = "scheduler.py"
CHANGES = [
    (
        "if budget is not None and not self.config.enable_chunked_prefill and longest_prefill > budget:",
        "if budget is not None and longest_prefill > budget:",
    ),
]
