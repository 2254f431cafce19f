"""After a preemption the queue waits for a whole tick more."""

PART = "5"
CAUGHT_BY = ["preempt_again", "preempt_abort_waiting", "preempt_admits_nobody"]
FILE = "scheduler.py"
CHANGES = [
    (
        "        if not preempted:\n            self.admit(budget)",
        "        if not preempted and not getattr(self, 'before', []) or not self.running:\n            self.admit(budget)\n        self.before = preempted",
    ),
]
