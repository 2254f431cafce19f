"""Recursion without Python's limit runs out of the C stack."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="crash of the interpreter",
    where="schedule",
    part="1",
    deserved=(),
    control="died",
    control_before=(3, 14),  # from then on Python watches the C stack
    files=right_scheduler(
        top="import sys",
        schedule="""
            sys.setrecursionlimit(10**9)
            class Deep:
                def __getattr__(self, name): return getattr(self, name + 'x')
            text = ()
            for _ in range(200_000): text = (text,)
            repr(text) if hash(text) else None
        """,
    ),
)
