"""A pytest.ini that has pytest only collect, which ends with status 0."""

from grader.proving.attacks.bases import wrong_scheduler

MECHANISM = "planted settings"
WHERE = "files"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "forged"
FILES = wrong_scheduler() | {"pytest.ini": "[pytest]\naddopts = --collect-only\n"}
