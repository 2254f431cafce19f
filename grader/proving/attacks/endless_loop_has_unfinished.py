"""An endless loop in has_unfinished."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "endless loops"
WHERE = "has_unfinished"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "hung"
FILES = right_scheduler(
    has_unfinished="while True: pass",
)
