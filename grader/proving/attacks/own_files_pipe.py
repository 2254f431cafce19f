"""The submission's own file becomes a pipe, and then an exception is raised in it: who looks for the line waits."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "changing its own files"
WHERE = "schedule"
PART = "1"
DESERVED: tuple[str, ...] = ()
NOT_SHOWN = "the plain grader looks for no line"
KILLS = True
FILES = right_scheduler(
    top="import os",
    schedule="""
        try:
            os.unlink('scheduler.py')
            os.mkfifo('scheduler.py')
        except OSError:
            pass
        raise IndexError
    """,
)
