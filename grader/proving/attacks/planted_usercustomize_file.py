"""A usercustomize.py that ends Python with status 0 before anything else runs."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import wrong_scheduler

ATTACK = Attack(
    mechanism="planted module",
    where="files",
    part="1",
    deserved=(),
    not_shown="in a virtual environment there is no user site",
    files={
        **wrong_scheduler(),
        "usercustomize.py": "import os, sys\nif 'pytest' in ' '.join(sys.orig_argv) or 'child' in ' '.join(sys.orig_argv):\n    os._exit(0)\n",
    },
)
