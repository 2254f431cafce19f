"""An endless loop in a finalizer, which runs while the reply is made."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "endless loops"
WHERE = "__del__"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "hung"
FILES = right_scheduler(
    top="""
        class Bomb:
            def __del__(self):
                while True: pass
            def __init__(self): self.me = self
    """,
    update="import gc; Bomb(); gc.set_threshold(1)",
)
