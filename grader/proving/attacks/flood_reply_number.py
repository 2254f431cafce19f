"""A number of tokens with ten thousand digits."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="floods",
    where="reply object",
    part="1",
    deserved=(),
    not_shown="a failed test there, too",
    files=right_scheduler(
        schedule="return Schedule({'A': 1 << 40_000})",
    ),
)
