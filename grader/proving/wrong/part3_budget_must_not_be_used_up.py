"""A prompt has to be smaller than what is left of the budget."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="3",
    caught_by=("token_budget_filled_exactly", "token_budget_decodes_first"),
    file="scheduler.py",
    changes=(
        (
            "num_tokens > budget or not self.can_admit(",
            "num_tokens >= budget or not self.can_admit(",
        ),
    ),
)
