"""os._exit(0) when the first scheduler is thrown away."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="ending the process with status 0",
    where="__del__",
    part="1",
    deserved=(),
    control="forged",
    files=right_scheduler(
        top="""
            import os
            class Bomb:
                def __del__(self): os._exit(0)
        """,
        schedule="Bomb()",
    ),
)
