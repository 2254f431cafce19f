"""os._exit(0) in constructor."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="ending the process with status 0",
    where="constructor",
    part="1",
    deserved=(),
    control="forged",
    files=right_scheduler(
        top="import os",
        constructor="os._exit(0)",
    ),
)
