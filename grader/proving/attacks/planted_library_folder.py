"""A folder batching_lab/ in place of the lab's library."""

from grader.proving.attacks.bases import wrong_scheduler

MECHANISM = "planted module"
WHERE = "files"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "died"
FILES = wrong_scheduler() | {
    "batching_lab/__init__.py": "",
    "batching_lab/harness.py": "",
    "batching_lab/submission/loading.py": "",
}
