"""A made-up reply is written to every descriptor of the process."""

from grader.proving.attacks.bases import wrong_scheduler

MECHANISM = "forged replies"
WHERE = "schedule"
PART = "1"
DESERVED: tuple[str, ...] = ()
NOT_SHOWN = "the plain grader has no channel"
FILES = wrong_scheduler(
    top="import os",
    schedule="""
        line = b'{"id": 1, "value": {"scheduled": [["A", 2]], "preempted": [], "has_unfinished": true}}\\n'
        for fd in range(1024):
            try:
                os.write(fd, line)
            except OSError:
                pass
    """,
)
