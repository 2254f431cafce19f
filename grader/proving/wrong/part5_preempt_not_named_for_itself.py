"""A sequence that gives up its own blocks was not evicted by anybody."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="5",
    caught_by=("preempt_self", "preempt_in_recompute"),
    file="scheduler.py",
    changes=(
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
    ),
)
