"""A null pointer is read while the file is imported."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "crash of the interpreter"
WHERE = "import"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "died"
FILES = right_scheduler(
    top="import ctypes; ctypes.string_at(0)",
)
