"""os._exit(0) in abort."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="ending the process with status 0",
    where="abort",
    part="1",
    deserved=("planted_calls",),
    control="forged",
    files=right_scheduler(
        top="import os",
        abort="os._exit(0)",
    ),
)
