"""sys.exit(0) in schedule()."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="exceptions that end Python",
    where="schedule",
    part="1",
    deserved=(),
    not_shown="pytest catches it there, too",
    files=right_scheduler(
        schedule="import sys; sys.exit(0)",
    ),
)
