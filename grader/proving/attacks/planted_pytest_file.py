"""A pytest.py beside the code, which `python -m pytest` would run."""

from grader.proving.attacks.bases import wrong_scheduler

MECHANISM = "planted module"
WHERE = "files"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "forged"
FILES = wrong_scheduler() | {"pytest.py": "print('2 passed')\n"}
