"""KeyboardInterrupt in update()."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="exceptions that end Python",
    where="update",
    part="1",
    deserved=(),
    control="died",
    files=right_scheduler(
        update="raise KeyboardInterrupt",
    ),
)
