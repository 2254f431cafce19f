"""os._exit(0) in has_unfinished."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="ending the process with status 0",
    where="has_unfinished",
    part="1",
    deserved=(),
    control="forged",
    files=right_scheduler(
        top="import os",
        has_unfinished="os._exit(0)",
    ),
)
