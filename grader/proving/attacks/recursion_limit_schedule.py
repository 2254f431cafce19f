"""A recursion limit that is all but reached."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="recursion limit",
    where="schedule",
    part="1",
    deserved=("planted_run", "planted_calls"),
    not_shown="pytest reports its own errors there, as failures of the submission's tests",
    files=right_scheduler(
        top="import sys",
        schedule="""
            try:
                sys.setrecursionlimit(len(__import__('inspect').stack(0)) + 60)
            except RecursionError:
                pass
        """,
    ),
)
