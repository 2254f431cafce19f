"""The process is replaced by a program that ends with status 0."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import wrong_scheduler

ATTACK = Attack(
    mechanism="ending the process with status 0",
    where="import",
    part="1",
    deserved=(),
    control="forged",
    files=wrong_scheduler(
        top="""
            import os
            try:
                os.execv("/bin/true", ["true"])
            except OSError:
                pass
        """,
    ),
)
