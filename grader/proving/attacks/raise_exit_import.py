"""SystemExit(0) while the file is imported."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="exceptions that end Python",
    where="import",
    part="1",
    deserved=(),
    not_shown="the lab's loader catches it there, too",
    files=right_scheduler(
        top="raise SystemExit(0)",
    ),
)
