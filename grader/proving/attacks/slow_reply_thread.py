"""A reply that comes byte by byte and never ends."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="slow replies",
    where="thread",
    part="1",
    deserved=(),
    not_shown="the plain grader has no channel",
    sleeps=True,
    files=right_scheduler(
        top="import os, time",
        schedule="""
            for fd in range(3, 64):
                try:
                    os.write(fd, b'{')
                except OSError:
                    pass
            time.sleep(1000)
        """,
    ),
)
