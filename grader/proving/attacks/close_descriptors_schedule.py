"""All descriptors of the process are closed."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="closed descriptors",
    where="schedule",
    part="1",
    deserved=(),
    not_shown="it differs with pytest's version whether the report is still written",
    files=right_scheduler(
        schedule="import os; os.closerange(0, 1024)",
    ),
)
