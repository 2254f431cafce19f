"""An endless loop in constructor."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="endless loops",
    where="constructor",
    part="1",
    deserved=(),
    control="hung",
    files=right_scheduler(
        constructor="while True: pass",
    ),
)
