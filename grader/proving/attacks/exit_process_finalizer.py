"""os._exit(0) when the first scheduler is thrown away."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "ending the process with status 0"
WHERE = "__del__"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "forged"
FILES = right_scheduler(
    top="""
        import os
        class Bomb:
            def __del__(self): os._exit(0)
    """,
    schedule="Bomb()",
)
