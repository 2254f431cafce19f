"""An endless loop in abort."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="endless loops",
    where="abort",
    part="1",
    deserved=("planted_calls",),
    control="hung",
    files=right_scheduler(
        abort="while True: pass",
    ),
)
