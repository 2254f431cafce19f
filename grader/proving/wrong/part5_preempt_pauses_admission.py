"""After a preemption the queue waits for a whole tick more."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="5",
    caught_by=("preempt_again", "preempt_abort_waiting", "preempt_admits_nobody"),
    file="scheduler.py",
    changes=(
        (
            "        if not preempted:\n            self.admit(budget)",
            "        if not preempted and not getattr(self, 'before', []) or not self.running:\n            self.admit(budget)\n        self.before = preempted",
        ),
    ),
)
