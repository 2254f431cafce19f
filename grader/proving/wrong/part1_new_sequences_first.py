"""Prefills are more urgent: new sequences stand before the running ones in the schedule."""

PART = "1"
CAUGHT_BY = ["continuous_order_of_admission", "continuous_prompts_join_decodes"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
        if not preempted:
            self.admit(budget)
""",
        """\
        old, self.scheduled = self.scheduled, {}
        if not preempted:
            self.admit(budget)
        self.scheduled |= old
""",
    ),
]
