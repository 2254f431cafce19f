"""An endless loop in add_request."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "endless loops"
WHERE = "add_request"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "hung"
FILES = right_scheduler(
    add_request="while True: pass",
)
