"""The process kills itself."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="killing processes",
    where="schedule",
    part="1",
    deserved=(),
    control="died",
    files=right_scheduler(
        schedule="import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
    ),
)
