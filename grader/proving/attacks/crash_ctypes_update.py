"""A null pointer is read."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "crash of the interpreter"
WHERE = "update"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "died"
FILES = right_scheduler(
    update="import ctypes; ctypes.string_at(0)",
)
