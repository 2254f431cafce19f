"""A usercustomize.py that ends Python with status 0 before anything else runs."""

from grader.proving.attacks.bases import wrong_scheduler

MECHANISM = "planted module"
WHERE = "files"
PART = "1"
DESERVED: tuple[str, ...] = ()
NOT_SHOWN = "in a virtual environment there is no user site"
FILES = wrong_scheduler() | {
    "usercustomize.py": "import os, sys\nif 'pytest' in ' '.join(sys.orig_argv) or 'child' in ' '.join(sys.orig_argv):\n    os._exit(0)\n"
}
