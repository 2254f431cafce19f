"""The channel is redirected to where the output goes."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="closed descriptors",
    where="schedule",
    part="1",
    deserved=(),
    not_shown="the plain grader has no channel",
    files=right_scheduler(
        schedule="""
            import os
            for fd in range(3, 16):
                try:
                    os.fstat(fd); os.dup2(2, fd)
                except OSError:
                    pass
        """,
    ),
)
