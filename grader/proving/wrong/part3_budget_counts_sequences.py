"""A sequence that is admitted costs one of the budget."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="3",
    caught_by=("token_budget_whole_prompt_waits", "token_budget_filled_exactly", "token_budget_nobody_overtakes"),
    file="scheduler.py",
    changes=(
        (
            "            self.compute(sequence, num_tokens)\n            budget -= num_tokens",
            "            self.compute(sequence, num_tokens)\n            budget -= 1",
        ),
    ),
)
