"""Processes without end (here: thirty)."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="many processes",
    where="schedule",
    part="1",
    deserved=("planted_run", "planted_calls"),
    control="succeeded",
    needs_isolation=True,
    files=right_scheduler(
        schedule="""
            try:
                import os, time
                for _ in range(30):
                    if os.fork() == 0:
                        time.sleep(60)
                        os._exit(0)
                print('SUCCEEDED', flush=True)
            except BaseException:
                pass
        """,
    ),
)
