"""A reply that comes byte by byte and never ends."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "slow replies"
WHERE = "thread"
PART = "1"
DESERVED: tuple[str, ...] = ()
NOT_SHOWN = "the plain grader has no channel"
SLEEPS = True
FILES = right_scheduler(
    top="import os, time",
    schedule="""
        for fd in range(3, 64):
            try:
                os.write(fd, b'{')
            except OSError:
                pass
        time.sleep(1000)
    """,
)
