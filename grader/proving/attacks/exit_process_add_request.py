"""os._exit(0) in add_request."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="ending the process with status 0",
    where="add_request",
    part="1",
    deserved=(),
    control="forged",
    files=right_scheduler(
        top="import os",
        add_request="os._exit(0)",
    ),
)
