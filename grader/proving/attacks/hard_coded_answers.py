"""The answers to the public tests are hard-coded."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import wrong_scheduler

ATTACK = Attack(
    mechanism="answers from a table",
    where="schedule",
    part="1",
    deserved=(),
    control="forged",
    files=wrong_scheduler(
        constructor="self.n = 0",
        schedule="self.n += 1; return Schedule({'A': 1})",
        update="return ['A'] if self.n == 2 else []",
    ),
)
