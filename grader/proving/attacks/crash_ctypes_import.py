"""A null pointer is read while the file is imported."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="crash of the interpreter",
    where="import",
    part="1",
    deserved=(),
    control="died",
    files=right_scheduler(
        top="import ctypes; ctypes.string_at(0)",
    ),
)
