"""A folder batching_lab/ in place of the lab's library."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import wrong_scheduler

ATTACK = Attack(
    mechanism="planted module",
    where="files",
    part="1",
    deserved=(),
    control="died",
    files={
        **wrong_scheduler(),
        "batching_lab/__init__.py": "",
        "batching_lab/harness.py": "",
        "batching_lab/submission/loading.py": "",
    },
)
