"""All signals that can be caught are ignored and blocked before the endless loop."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "swallowing the timeout"
WHERE = "signal handler"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "hung"
CONTROL_OPTIONS = ["--timeout=1"]
FILES = right_scheduler(
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
)
