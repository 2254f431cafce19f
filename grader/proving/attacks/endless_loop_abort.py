"""An endless loop in abort."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "endless loops"
WHERE = "abort"
PART = "1"
DESERVED: tuple[str, ...] = ("planted_calls",)
CONTROL = "hung"
FILES = right_scheduler(
    abort="while True: pass",
)
