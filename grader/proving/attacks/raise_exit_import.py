"""SystemExit(0) while the file is imported."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "exceptions that end Python"
WHERE = "import"
PART = "1"
DESERVED: tuple[str, ...] = ()
NOT_SHOWN = "the lab's loader catches it there, too"
FILES = right_scheduler(
    top="raise SystemExit(0)",
)
