"""The channel is redirected to where the output goes."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "closed descriptors"
WHERE = "schedule"
PART = "1"
DESERVED: tuple[str, ...] = ()
NOT_SHOWN = "the plain grader has no channel"
FILES = right_scheduler(
    schedule="""
        import os
        for fd in range(3, 16):
            try:
                os.fstat(fd); os.dup2(2, fd)
            except OSError:
                pass
    """,
)
