"""The process kills itself."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "killing processes"
WHERE = "schedule"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "died"
FILES = right_scheduler(
    schedule="import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
)
