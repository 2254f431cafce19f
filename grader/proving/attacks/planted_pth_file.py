"""A .pth file whose line is run when Python starts."""

from grader.proving.attacks.bases import wrong_scheduler

MECHANISM = "planted settings"
WHERE = "files"
PART = "1"
DESERVED: tuple[str, ...] = ()
NOT_SHOWN = "Python reads .pth files in site-packages only"
FILES = wrong_scheduler() | {"helper.pth": "import os; os._exit(0)\n"}
