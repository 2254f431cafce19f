"""The worker's answers are replaced by made-up ones."""

from grader.proving.attacks.bases import wrong_scheduler

MECHANISM = "patching the worker"
WHERE = "import"
PART = "1"
DESERVED: tuple[str, ...] = ()
NOT_SHOWN = "the plain grader has no worker"
FILES = wrong_scheduler(
    top="""
        import sys
        Worker = getattr(sys.modules["__main__"], "Worker", None)
        def answer(self, message):
            return {"scheduled": [["A", 1]], "preempted": [], "finished": ["A"], "has_unfinished": False}
        if Worker:
            Worker.answer = answer
    """,
)
