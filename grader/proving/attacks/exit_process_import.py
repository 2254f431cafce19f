"""os._exit(0) while the file is imported."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="ending the process with status 0",
    where="import",
    part="1",
    deserved=(),
    control="forged",
    files=right_scheduler(
        top="import os; os._exit(0)",
    ),
)
