"""Prompts come first, as in early vLLM; the decodes get what is left of the budget."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="3",
    caught_by=("token_budget_decodes_first", "token_budget_nobody_overtakes"),
    file="scheduler.py",
    changes=(
        (
            """\
        budget = self.schedule_running(self.config.max_num_batched_tokens or sys.maxsize, preempted)
        if not preempted:
            self.admit(budget)
""",
            """\
        budget = self.admit(self.config.max_num_batched_tokens or sys.maxsize)
        self.schedule_running(budget, preempted)
        self.scheduled = {name: self.scheduled[name] for name in self.running if name in self.scheduled}
""",
        ),
        (
            """\
    def admit(self, budget: int) -> None:
""",
            """\
    def admit(self, budget: int) -> int:
""",
        ),
        (
            """\
            self.compute(sequence, num_tokens)
            budget -= num_tokens
""",
            """\
            self.compute(sequence, num_tokens)
            budget -= num_tokens
        return budget
""",
        ),
        (
            """\
            if budget == 0 or (preempted and request_id not in self.running):
""",
            """\
            if request_id in self.scheduled:
                continue
            if budget == 0 or (preempted and request_id not in self.running):
""",
        ),
    ),
)
