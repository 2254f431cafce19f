"""KeyboardInterrupt while the file is imported."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "exceptions that end Python"
WHERE = "import"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "died"
FILES = right_scheduler(
    top="raise KeyboardInterrupt",
)
