"""update() returns an object whose repr never ends."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="endless loops",
    where="__repr__",
    part="1",
    deserved=(),
    control="hung",
    files=right_scheduler(
        top="""
            class Slow(list):
                def __repr__(self):
                    while True: pass
        """,
        update="return Slow()",
    ),
)
