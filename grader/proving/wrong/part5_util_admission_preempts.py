"""The first of the queue may take the blocks of the one admitted last, as a growing sequence may."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="5",
    caught_by=("util_admission_blocked",),
    file="scheduler.py",
    changes=(
        (
            """\
            if num_tokens > budget or not self.can_admit(sequence.request, num_tokens):
                break
""",
            """\
            if (
                self.config.kv_policy == "max_utilization"
                and self.running
                and not preempted
                and not self.can_admit(sequence.request, num_tokens)
            ):
                victim = self.preempt()
                self.waiting.move_to_end(sequence.request.request_id, last=False)
                preempted.append(victim.request.request_id)
                self.scheduled.pop(victim.request.request_id, None)
            if num_tokens > budget or not self.can_admit(sequence.request, num_tokens):
                break
""",
        ),
        (
            """\
        if not preempted:
            self.admit(budget)
""",
            """\
        if not preempted:
            self.admit(budget, preempted)
""",
        ),
        (
            """\
    def admit(self, budget: int) -> None:
""",
            """\
    def admit(self, budget: int, preempted: list[str]) -> None:
""",
        ),
    ),
)
