"""A pytest.py beside the code, which `python -m pytest` would run."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import wrong_scheduler

ATTACK = Attack(
    mechanism="planted module",
    where="files",
    part="1",
    deserved=(),
    control="forged",
    files=wrong_scheduler() | {"pytest.py": "print('2 passed')\n"},
)
