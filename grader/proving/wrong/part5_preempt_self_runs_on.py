"""After a sequence preempted itself there are blocks, so it runs after all."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="5",
    caught_by=("preempt_self", "preempt_front", "preempt_in_recompute"),
    file="scheduler.py",
    changes=(
        (
            """\
                if victim is sequence:
                    return False
""",
            "",
        ),
    ),
)
