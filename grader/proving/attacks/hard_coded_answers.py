"""The answers to the public tests are hard-coded."""

from grader.proving.attacks.bases import wrong_scheduler

MECHANISM = "answers from a table"
WHERE = "schedule"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "forged"
FILES = wrong_scheduler(
    constructor="self.n = 0",
    schedule="self.n += 1; return Schedule({'A': 1})",
    update="return ['A'] if self.n == 2 else []",
)
