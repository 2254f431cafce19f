"""A pytest.ini that has pytest only collect, which ends with status 0."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import wrong_scheduler

ATTACK = Attack(
    mechanism="planted settings",
    where="files",
    part="1",
    deserved=(),
    control="forged",
    files=wrong_scheduler() | {"pytest.ini": "[pytest]\naddopts = --collect-only\n"},
)
