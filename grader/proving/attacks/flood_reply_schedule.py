"""A schedule with a million entries."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="floods",
    where="schedule",
    part="1",
    deserved=(),
    not_shown="the plain grader has no channel",
    files=right_scheduler(
        schedule="return Schedule({str(n): 1 for n in range(200_000)})",
    ),
)
