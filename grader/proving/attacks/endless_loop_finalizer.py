"""An endless loop in a finalizer, which runs while the reply is made."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="endless loops",
    where="__del__",
    part="1",
    deserved=(),
    control="hung",
    files=right_scheduler(
        top="""
            class Bomb:
                def __del__(self):
                    while True: pass
                def __init__(self): self.me = self
        """,
        update="import gc; Bomb(); gc.set_threshold(1)",
    ),
)
