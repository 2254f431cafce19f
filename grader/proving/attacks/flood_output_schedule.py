"""Twenty megabytes on stdout and stderr in each call."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="floods",
    where="schedule",
    part="1",
    deserved=("planted_run", "planted_calls"),
    control="flooded",
    files=right_scheduler(
        top="import os",
        schedule="for _ in range(20): os.write(1, b'x' * 500_000); os.write(2, b'x' * 500_000)",
    ),
)
