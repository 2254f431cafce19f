"""os._exit(0) in add_request."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "ending the process with status 0"
WHERE = "add_request"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "forged"
FILES = right_scheduler(
    top="import os",
    add_request="os._exit(0)",
)
