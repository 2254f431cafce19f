"""What is left of the budget is there in the next tick."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="3",
    caught_by=("token_budget_decodes_first", "token_budget_nobody_overtakes"),
    file="scheduler.py",
    changes=(
        (
            "        if not preempted:\n            self.admit(budget)",
            "        budget += getattr(self, 'carry', 0)\n        before = len(self.scheduled)\n        if not preempted:\n            self.admit(budget)\n        self.carry = min(2, max(0, budget - sum(self.scheduled.values()))) if budget < 10**6 else 0",
        ),
    ),
)
