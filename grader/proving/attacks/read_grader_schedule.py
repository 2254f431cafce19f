"""The grader's folder is listed, and its hidden tests are read."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="reading files",
    where="schedule",
    part="1",
    deserved=("planted_run", "planted_calls"),
    control="succeeded",
    needs_isolation=True,
    files=right_scheduler(
        schedule="""
            try:
                import os
                os.listdir('@ROOT@/grader')
                open('@ROOT@/grader/proving/attacks/planted/test_part1_planted.py').read()
                print('SUCCEEDED', flush=True)
            except BaseException:
                pass
        """,
    ),
)
