"""A line without an end is written into the channel."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "floods"
WHERE = "thread"
PART = "1"
DESERVED: tuple[str, ...] = ()
NOT_SHOWN = "the plain grader has no channel"
FILES = right_scheduler(
    top="import os",
    schedule="""
        for fd in range(3, 12):
            try:
                for _ in range(1000): os.write(fd, b'[' * 60_000)
            except OSError:
                pass
    """,
)
