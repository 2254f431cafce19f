"""os._exit(0) in schedule."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "ending the process with status 0"
WHERE = "schedule"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "forged"
FILES = right_scheduler(
    top="import os",
    schedule="os._exit(0)",
)
