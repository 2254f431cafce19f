"""The process stops itself: no time passes for it."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "stopping the process"
WHERE = "update"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "hung"
SLEEPS = True
FILES = right_scheduler(
    update="import os, signal; os.kill(os.getpid(), signal.SIGSTOP)",
)
