"""except BaseException around an endless loop: no exception ends it."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="swallowing the timeout",
    where="schedule",
    part="1",
    deserved=(),
    control="hung",
    control_options=("--timeout=1",),
    files=right_scheduler(
        schedule="""
            while True:
                try:
                    while True: pass
                except BaseException:
                    pass
        """,
    ),
)
