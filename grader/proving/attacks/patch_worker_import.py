"""The worker's answers are replaced by made-up ones."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import wrong_scheduler

ATTACK = Attack(
    mechanism="patching the worker",
    where="import",
    part="1",
    deserved=(),
    not_shown="the plain grader has no worker",
    files=wrong_scheduler(
        top="""
            import sys
            Answerer = getattr(sys.modules["__main__"], "Answerer", None)
            def answer(self, message):
                return {"scheduled": [["A", 1]], "preempted": [], "finished": ["A"], "has_unfinished": False}
            if Answerer:
                Answerer.answer = answer
        """,
    ),
)
