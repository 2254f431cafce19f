"""`preempted` names the victim of this boundary."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="5",
    caught_by=("preempt_two", "preempt_chunk_needs_two"),
    file="scheduler.py",
    changes=(
        (
            "tuple(preempted))",
            "tuple(preempted[-1:]))",
        ),
    ),
)
