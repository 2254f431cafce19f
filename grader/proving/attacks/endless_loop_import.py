"""An endless loop while the file is imported."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "endless loops"
WHERE = "import"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "hung"
FILES = right_scheduler(
    top="while True: pass",
)
