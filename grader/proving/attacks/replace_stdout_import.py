"""sys.stdout and sys.stderr are objects that raise whatever is asked of them."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="hooks of the standard library",
    where="import",
    part="1",
    deserved=("planted_run", "planted_calls"),
    control="died",
    files=right_scheduler(
        top="""
            import sys
            class Broken:
                def __getattr__(self, name): raise AttributeError(name)
            sys.stdout = sys.stderr = sys.__stdout__ = Broken()
        """,
    ),
)
