"""Hidden values are printed."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="telling hidden values",
    where="add_request",
    part="1",
    deserved=("planted_run", "planted_calls"),
    control="leaked",
    files=right_scheduler(
        add_request="print(request, flush=True)",
    ),
)
