"""A sequence that gives up its own blocks was not evicted by anybody."""

PART = "5"
CAUGHT_BY = ["preempt_self", "preempt_in_recompute"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
                if victim is sequence:
                    return False
""",
        """\
                if victim is sequence:
                    preempted.pop()
                    return False
""",
    ),
]
