"""An exception whose class has a name and whose text never end."""

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
            class Meta(type):
                @property
                def __name__(cls):
                    while True: pass
            class Endless(Exception, metaclass=Meta):
                def __str__(self):
                    while True: pass
        """,
        schedule="raise Endless()",
    ),
)
