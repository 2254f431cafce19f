"""sys.exit(0) in schedule()."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "exceptions that end Python"
WHERE = "schedule"
PART = "1"
DESERVED: tuple[str, ...] = ()
NOT_SHOWN = "pytest catches it there, too"
FILES = right_scheduler(
    schedule="import sys; sys.exit(0)",
)
