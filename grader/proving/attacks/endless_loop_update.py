"""An endless loop in update."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="endless loops",
    where="update",
    part="1",
    deserved=(),
    control="hung",
    files=right_scheduler(
        update="while True: pass",
    ),
)
