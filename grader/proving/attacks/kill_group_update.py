"""The process kills its group."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "killing processes"
WHERE = "update"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "died"
KILLS = True
FILES = right_scheduler(
    update="import os, signal; os.killpg(0, signal.SIGKILL)",
)
