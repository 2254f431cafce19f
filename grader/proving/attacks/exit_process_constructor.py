"""os._exit(0) in constructor."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "ending the process with status 0"
WHERE = "constructor"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "forged"
FILES = right_scheduler(
    top="import os",
    constructor="os._exit(0)",
)
