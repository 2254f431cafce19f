"""A recursion limit that is all but reached."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "recursion limit"
WHERE = "schedule"
PART = "1"
DESERVED: tuple[str, ...] = ("planted_run", "planted_calls")
NOT_SHOWN = "pytest reports its own errors there, as failures of the submission's tests"
FILES = right_scheduler(
    top="import sys",
    schedule="""
        try:
            sys.setrecursionlimit(len(__import__('inspect').stack(0)) + 60)
        except RecursionError:
            pass
    """,
)
