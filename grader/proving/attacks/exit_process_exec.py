"""The process is replaced by a program that ends with status 0."""

from grader.proving.attacks.bases import wrong_scheduler

MECHANISM = "ending the process with status 0"
WHERE = "import"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "forged"
FILES = wrong_scheduler(
    top="""
        import os
        try:
            os.execv("/bin/true", ["true"])
        except OSError:
            pass
    """,
)
