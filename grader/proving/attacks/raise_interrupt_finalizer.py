"""An object whose finalizer raises KeyboardInterrupt at every moment."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "exceptions that end Python"
WHERE = "__del__"
PART = "1"
DESERVED: tuple[str, ...] = ("planted_run", "planted_calls")
NOT_SHOWN = "Python prints what a finalizer raises and goes on"
FILES = right_scheduler(
    top="""
        class Bomb:
            def __del__(self): raise KeyboardInterrupt
    """,
    has_unfinished="Bomb()",
)
