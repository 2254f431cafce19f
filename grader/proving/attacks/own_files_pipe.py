"""The submission's own file becomes a pipe, and then an exception is raised in it: who looks for the line waits."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="changing its own files",
    where="schedule",
    part="1",
    deserved=(),
    not_shown="the plain grader looks for no line",
    kills=True,
    files=right_scheduler(
        top="import os",
        schedule="""
            try:
                os.unlink('scheduler.py')
                os.mkfifo('scheduler.py')
            except OSError:
                pass
            raise IndexError
        """,
    ),
)
