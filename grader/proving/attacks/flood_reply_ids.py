"""A request id of ten megabytes."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="floods",
    where="update",
    part="1",
    deserved=(),
    control="flooded",
    files=right_scheduler(
        update="return ['x' * 10_000_000]",
    ),
)
