"""os._exit(0) while the file is imported."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "ending the process with status 0"
WHERE = "import"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "forged"
FILES = right_scheduler(
    top="import os; os._exit(0)",
)
