"""The worker's exception for wrong types is replaced by one with texts of its own."""

from grader.proving.attacks.bases import wrong_scheduler

MECHANISM = "patching the worker"
WHERE = "schedule"
PART = "1"
DESERVED: tuple[str, ...] = ()
NOT_SHOWN = "the plain grader has no worker"
FILES = wrong_scheduler(
    top="import sys",
    schedule="""
        main = sys.modules["__main__"]
        class Odd(getattr(main, "BadReturn", Exception)):
            def __init__(self): self.returned, self.method = "passed", ["schedule", {"score": 100}]
        raise Odd()
    """,
)
