"""A line without an end is written into the channel."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="floods",
    where="thread",
    part="1",
    deserved=(),
    not_shown="the plain grader has no channel",
    files=right_scheduler(
        top="import os",
        schedule="""
            for fd in range(3, 12):
                try:
                    for _ in range(1000): os.write(fd, b'[' * 60_000)
                except OSError:
                    pass
        """,
    ),
)
