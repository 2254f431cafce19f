"""The scheduler's class has a metaclass that answers each question about it with a lie."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import wrong_scheduler

ATTACK = Attack(
    mechanism="liar about its class",
    where="import",
    part="1",
    deserved=(),
    control="forged",
    files=wrong_scheduler(
        top="""
            class Meta(type):
                def __instancecheck__(cls, other): return True
                def __subclasscheck__(cls, other): return True
                def __eq__(cls, other): return True
                def __hash__(cls): return 0
                __name__ = property(lambda cls: 'int')
                __class__ = property(lambda cls: type)
            class Anything(metaclass=Meta):
                __eq__ = lambda self, other: True
                __class__ = int
        """,
        schedule="return Anything()",
        update="return Anything()",
    ),
)
