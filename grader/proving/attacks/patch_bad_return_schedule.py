"""The worker's exception for wrong types is replaced by one with texts of its own."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import wrong_scheduler

ATTACK = Attack(
    mechanism="patching the worker",
    where="schedule",
    part="1",
    deserved=(),
    not_shown="the plain grader has no worker",
    files=wrong_scheduler(
        top="import sys",
        schedule="""
            main = sys.modules["__main__"]
            class Odd(getattr(main, "BadReturn", Exception)):
                def __init__(self): self.returned, self.method = "passed", ["schedule", {"score": 100}]
            raise Odd()
        """,
    ),
)
