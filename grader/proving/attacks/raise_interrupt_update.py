"""KeyboardInterrupt in update()."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "exceptions that end Python"
WHERE = "update"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "died"
FILES = right_scheduler(
    update="raise KeyboardInterrupt",
)
