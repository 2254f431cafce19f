"""What a victim gives back beyond the need is there for the queue at the same boundary."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="5",
    caught_by=("preempt_admits_nobody", "preempt_in_recompute"),
    file="scheduler.py",
    changes=(
        (
            """\
        if not preempted:
            self.admit(budget)
""",
            """\
        self.admit(budget)
""",
        ),
    ),
)
