"""Numbers of tokens that are subclasses of int, equal to any number."""

from grader.proving.attacks.bases import wrong_scheduler

MECHANISM = "number of another type"
WHERE = "schedule"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "forged"
FILES = wrong_scheduler(
    top="""
        class Any(int):
            def __eq__(self, other): return True
            __hash__ = int.__hash__
    """,
    schedule="return Schedule({'A': Any(5)})",
    update="return []",
)
