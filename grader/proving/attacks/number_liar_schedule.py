"""Numbers of tokens that are subclasses of int, equal to any number."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import wrong_scheduler

ATTACK = Attack(
    mechanism="number of another type",
    where="schedule",
    part="1",
    deserved=(),
    control="forged",
    files=wrong_scheduler(
        top="""
            class Any(int):
                def __eq__(self, other): return True
                __hash__ = int.__hash__
        """,
        schedule="return Schedule({'A': Any(5)})",
        update="return []",
    ),
)
