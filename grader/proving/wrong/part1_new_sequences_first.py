"""Prefills are more urgent: new sequences stand before the running ones in the schedule."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="1",
    caught_by=("continuous_order_of_admission", "continuous_prompts_join_decodes"),
    file="scheduler.py",
    changes=(
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
    ),
)
