"""An exception whose class has a name and whose text never end."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "endless loops"
WHERE = "__repr__"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "hung"
FILES = right_scheduler(
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
)
