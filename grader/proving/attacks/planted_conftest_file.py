"""A conftest.py that makes every test pass."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import wrong_scheduler

ATTACK = Attack(
    mechanism="planted module",
    where="files",
    part="1",
    deserved=(),
    control="forged",
    files={
        **wrong_scheduler(),
        "conftest.py": "import pytest\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n    call.excinfo = None\n    yield\n",
    },
)
