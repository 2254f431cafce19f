"""An endless loop in add_request."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="endless loops",
    where="add_request",
    part="1",
    deserved=(),
    control="hung",
    files=right_scheduler(
        add_request="while True: pass",
    ),
)
