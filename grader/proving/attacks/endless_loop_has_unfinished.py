"""An endless loop in has_unfinished."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="endless loops",
    where="has_unfinished",
    part="1",
    deserved=(),
    control="hung",
    files=right_scheduler(
        has_unfinished="while True: pass",
    ),
)
