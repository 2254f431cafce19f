"""Two thousand folders inside each other, which who cleans up must walk."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="changing its own files",
    where="import",
    part="1",
    deserved=("planted_run", "planted_calls"),
    not_shown="the plain grader cleans nothing up",
    kills=True,
    files=right_scheduler(
        top="""
            import os
            here = os.getcwd()
            try:
                for _ in range(2000):
                    os.mkdir('d')
                    os.chdir('d')
            except OSError:
                pass
            os.chdir(here)
        """,
    ),
)
