"""The parent process is killed."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="killing processes",
    where="import",
    part="1",
    deserved=("planted_run", "planted_calls"),
    control="died",
    needs_isolation=True,
    kills=True,
    files=right_scheduler(
        top="""
            try:
                import os, signal
                os.kill(os.getppid(), signal.SIGKILL)
            except BaseException:
                pass
        """,
    ),
)
