"""A sitecustomize.py that ends Python with status 0 before anything else runs."""

from grader.proving.attacks.bases import wrong_scheduler

MECHANISM = "planted module"
WHERE = "files"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "forged"
FILES = wrong_scheduler() | {
    "sitecustomize.py": "import os, sys\nif 'pytest' in ' '.join(sys.orig_argv) or 'child' in ' '.join(sys.orig_argv):\n    os._exit(0)\n"
}
