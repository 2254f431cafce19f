"""Recursion without Python's limit runs out of the C stack."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "crash of the interpreter"
WHERE = "schedule"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "died"
CONTROL_BEFORE = (3, 14)  # from then on Python watches the C stack
FILES = right_scheduler(
    top="import sys",
    schedule="""
        sys.setrecursionlimit(10**9)
        class Deep:
            def __getattr__(self, name): return getattr(self, name + 'x')
        text = ()
        for _ in range(200_000): text = (text,)
        repr(text) if hash(text) else None
    """,
)
