"""os._exit(0) in allocate."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_allocator

ATTACK = Attack(
    mechanism="ending the process with status 0",
    where="allocate",
    part="2",
    deserved=(),
    control="forged",
    files=right_allocator(
        top="import os",
        allocate="os._exit(0)",
    ),
)
