"""An endless loop in constructor."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "endless loops"
WHERE = "constructor"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "hung"
FILES = right_scheduler(
    constructor="while True: pass",
)
