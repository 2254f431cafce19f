"""The timer of a time limit is switched off before the endless loop."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="swallowing the timeout",
    where="signal handler",
    part="1",
    deserved=(),
    control="hung",
    control_options=("--timeout=1",),
    files=right_scheduler(
        schedule="""
            import signal
            signal.setitimer(signal.ITIMER_REAL, 0)
            while True: pass
        """,
    ),
)
