"""Who computes one token decodes, and a new decode costs nothing."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="3",
    caught_by=("token_budget_nobody_overtakes",),
    file="scheduler.py",
    changes=(
        (
            "            self.compute(sequence, num_tokens)\n            budget -= num_tokens",
            "            self.compute(sequence, num_tokens)\n            budget -= num_tokens if num_tokens > 1 else 0",
        ),
    ),
)
