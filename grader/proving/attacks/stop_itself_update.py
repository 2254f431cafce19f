"""The process stops itself: no time passes for it."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="stopping the process",
    where="update",
    part="1",
    deserved=(),
    control="hung",
    sleeps=True,
    files=right_scheduler(
        update="import os, signal; os.kill(os.getpid(), signal.SIGSTOP)",
    ),
)
