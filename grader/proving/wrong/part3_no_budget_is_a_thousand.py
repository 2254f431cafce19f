"""Without a token budget a thousand tokens a tick are enough."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="3",
    caught_by=("token_budget_none",),
    file="scheduler.py",
    changes=(
        (
            "self.config.max_num_batched_tokens or sys.maxsize",
            "self.config.max_num_batched_tokens or 1000",
        ),
    ),
)
