"""pytest's own exceptions that skip a test or end the run with status 0."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import wrong_scheduler

ATTACK = Attack(
    mechanism="exceptions that end Python",
    where="update",
    part="1",
    deserved=(),
    control="forged",
    files=wrong_scheduler(
        top="import sys",
        schedule="""
            if 'pytest' in sys.modules:
                sys.modules['pytest'].exit('2 passed', 0)
        """,
    ),
)
