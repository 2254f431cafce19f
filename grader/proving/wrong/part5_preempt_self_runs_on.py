"""After a sequence preempted itself there are blocks, so it runs after all."""

PART = "5"
CAUGHT_BY = ["preempt_self", "preempt_front", "preempt_in_recompute"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
                if victim is sequence:
                    return False
""",
        "",
    ),
]
