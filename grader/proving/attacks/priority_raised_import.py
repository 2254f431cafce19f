"""The process takes a better priority than others have."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="lifting limits",
    where="import",
    part="1",
    deserved=("planted_run", "planted_calls"),
    control="succeeded",
    needs_isolation=True,
    files=right_scheduler(
        top="""
            try:
                import os
                os.nice(-5)
                print('SUCCEEDED', flush=True)
            except BaseException:
                pass
        """,
    ),
)
