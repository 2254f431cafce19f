"""A recursion limit so low that nobody else can work."""

from grader.attacks.bases import right_scheduler

MECHANISM = "recursion limit"
WHERE = "schedule"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "died"
FILES = right_scheduler(
    top="import sys",
    schedule="""
        try:
            sys.setrecursionlimit(len(__import__('inspect').stack(0)) + 8)
        except RecursionError:
            pass
    """,
)
