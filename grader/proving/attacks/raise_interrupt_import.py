"""KeyboardInterrupt while the file is imported."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="exceptions that end Python",
    where="import",
    part="1",
    deserved=(),
    control="died",
    files=right_scheduler(
        top="raise KeyboardInterrupt",
    ),
)
