"""The scheduler's class has a metaclass that answers each question about it with a lie."""

from grader.proving.attacks.bases import wrong_scheduler

MECHANISM = "liar about its class"
WHERE = "import"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "forged"
FILES = wrong_scheduler(
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
)
