"""An endless loop while the file is imported."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="endless loops",
    where="import",
    part="1",
    deserved=(),
    control="hung",
    files=right_scheduler(
        top="while True: pass",
    ),
)
