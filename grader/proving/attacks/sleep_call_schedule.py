"""schedule() sleeps: no processor time passes."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="sleeping",
    where="schedule",
    part="1",
    deserved=(),
    control="hung",
    sleeps=True,
    files=right_scheduler(
        schedule="import time; time.sleep(1000)",
    ),
)
