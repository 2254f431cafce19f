"""A .pth file whose line is run when Python starts."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import wrong_scheduler

ATTACK = Attack(
    mechanism="planted settings",
    where="files",
    part="1",
    deserved=(),
    not_shown="Python reads .pth files in site-packages only",
    files=wrong_scheduler() | {"helper.pth": "import os; os._exit(0)\n"},
)
