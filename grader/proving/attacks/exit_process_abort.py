"""os._exit(0) in abort."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "ending the process with status 0"
WHERE = "abort"
PART = "1"
DESERVED: tuple[str, ...] = ("planted_calls",)
CONTROL = "forged"
FILES = right_scheduler(
    top="import os",
    abort="os._exit(0)",
)
