"""os._exit(0) in update."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="ending the process with status 0",
    where="update",
    part="1",
    deserved=(),
    control="forged",
    files=right_scheduler(
        top="import os",
        update="os._exit(0)",
    ),
)
