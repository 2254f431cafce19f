"""An endless loop in update."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "endless loops"
WHERE = "update"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "hung"
FILES = right_scheduler(
    update="while True: pass",
)
