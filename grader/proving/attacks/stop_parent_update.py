"""The parent process is stopped."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="stopping the process",
    where="update",
    part="1",
    deserved=("planted_run", "planted_calls"),
    control="hung",
    needs_isolation=True,
    only_isolated="the process that starts the workers is stopped: for each worker the grader then waits a minute before it starts another",
    files=right_scheduler(
        update="""
            import os, signal
            try:
                os.kill(os.getppid(), signal.SIGSTOP)
            except OSError:
                pass
        """,
    ),
)
