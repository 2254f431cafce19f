"""What a victim gives back beyond the need is there for the queue at the same boundary."""

PART = "5"
CAUGHT_BY = ["preempt_admits_nobody", "preempt_in_recompute"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
        if not preempted:
            self.admit(budget)
""",
        """\
        self.admit(budget)
""",
    ),
]
