"""Ids that are subclasses of str, equal to every other."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import wrong_scheduler

ATTACK = Attack(
    mechanism="text of another type",
    where="update",
    part="1",
    deserved=(),
    control="forged",
    files=wrong_scheduler(
        top="""
            class Any(str):
                def __eq__(self, other): return True
                def __hash__(self): return hash("A")
        """,
        schedule="return Schedule({Any('B'): 1})",
        update="return [Any('Z')] if getattr(self, 'n', 0) else setattr(self, 'n', 1) or []",
    ),
)
