"""A child does endless work while the worker waits for it, so that the worker's processor time stands still."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="false clocks",
    where="schedule",
    part="1",
    deserved=(),
    control="hung",
    needs_isolation=True,
    sleeps=True,
    files=right_scheduler(
        schedule="""
            import os
            pid = os.fork()
            if pid == 0:
                while True: pass
            os.waitpid(pid, 0)
        """,
    ),
)
