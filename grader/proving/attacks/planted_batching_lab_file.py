"""A batching_lab.py in place of the lab's library."""

from grader.proving.attacks.bases import wrong_scheduler

MECHANISM = "planted module"
WHERE = "files"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "died"
FILES = wrong_scheduler() | {"batching_lab.py": "class Schedule: pass\n"}
