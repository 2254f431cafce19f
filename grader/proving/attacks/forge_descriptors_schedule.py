"""A made-up reply is written to every descriptor of the process."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import wrong_scheduler

ATTACK = Attack(
    mechanism="forged replies",
    where="schedule",
    part="1",
    deserved=(),
    not_shown="the plain grader has no channel",
    files=wrong_scheduler(
        top="import os",
        schedule="""
            line = b'{"id": 1, "value": {"scheduled": [["A", 2]], "preempted": [], "has_unfinished": true}}\\n'
            for fd in range(1024):
                try:
                    os.write(fd, line)
                except OSError:
                    pass
        """,
    ),
)
