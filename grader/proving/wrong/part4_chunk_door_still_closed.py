"""A prompt longer than the budget is refused, chunking or not."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="4",
    caught_by=("chunk_longer_than_budget", "chunk_no_budget_left"),
    file="scheduler.py",
    changes=(
        (
            "if budget is not None and not self.config.enable_chunked_prefill and longest_prefill > budget:",
            "if budget is not None and longest_prefill > budget:",
        ),
    ),
)
