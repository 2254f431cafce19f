"""What is left of the budget is there in the next tick."""

PART = "3"
CAUGHT_BY = ["token_budget_decodes_first", "token_budget_nobody_overtakes"]
FILE = "scheduler.py"
CHANGES = [
    (
        "        if not preempted:\n            self.admit(budget)",
        "        budget += getattr(self, 'carry', 0)\n        before = len(self.scheduled)\n        if not preempted:\n            self.admit(budget)\n        self.carry = min(2, max(0, budget - sum(self.scheduled.values()))) if budget < 10**6 else 0",
    ),
]
