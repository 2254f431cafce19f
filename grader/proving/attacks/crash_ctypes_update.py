"""A null pointer is read."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="crash of the interpreter",
    where="update",
    part="1",
    deserved=(),
    control="died",
    files=right_scheduler(
        update="import ctypes; ctypes.string_at(0)",
    ),
)
