"""All signals that can be caught are ignored and blocked before the endless loop."""

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
        top="import signal",
        schedule="""
            for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
                try:
                    signal.signal(number, signal.SIG_IGN)
                except (OSError, ValueError):
                    pass
            signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
            while True: pass
        """,
    ),
)
