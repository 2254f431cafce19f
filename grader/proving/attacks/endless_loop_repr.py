"""update() returns an object whose repr never ends."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "endless loops"
WHERE = "__repr__"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "hung"
FILES = right_scheduler(
    top="""
        class Slow(list):
            def __repr__(self):
                while True: pass
    """,
    update="return Slow()",
)
