"""The process kills its group."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="killing processes",
    where="update",
    part="1",
    deserved=(),
    control="died",
    kills=True,
    files=right_scheduler(
        update="import os, signal; os.killpg(0, signal.SIGKILL)",
    ),
)
