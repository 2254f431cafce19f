"""os._exit(0) in has_unfinished."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "ending the process with status 0"
WHERE = "has_unfinished"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "forged"
FILES = right_scheduler(
    top="import os",
    has_unfinished="os._exit(0)",
)
