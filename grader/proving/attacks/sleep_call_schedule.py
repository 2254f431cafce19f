"""schedule() sleeps: no processor time passes."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "sleeping"
WHERE = "schedule"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "hung"
SLEEPS = True
FILES = right_scheduler(
    schedule="import time; time.sleep(1000)",
)
