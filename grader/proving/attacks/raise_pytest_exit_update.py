"""pytest's own exceptions that skip a test or end the run with status 0."""

from grader.proving.attacks.bases import wrong_scheduler

MECHANISM = "exceptions that end Python"
WHERE = "update"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "forged"
FILES = wrong_scheduler(
    top="import sys",
    schedule="""
        if 'pytest' in sys.modules:
            sys.modules['pytest'].exit('2 passed', 0)
    """,
)
