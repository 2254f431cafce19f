"""An object whose finalizer raises KeyboardInterrupt at every moment."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="exceptions that end Python",
    where="__del__",
    part="1",
    deserved=("planted_run", "planted_calls"),
    not_shown="Python prints what a finalizer raises and goes on",
    files=right_scheduler(
        top="""
            class Bomb:
                def __del__(self): raise KeyboardInterrupt
        """,
        has_unfinished="Bomb()",
    ),
)
