"""The timer of a time limit is switched off before the endless loop."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "swallowing the timeout"
WHERE = "signal handler"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "hung"
CONTROL_OPTIONS = ["--timeout=1"]
FILES = right_scheduler(
    schedule="""
        import signal
        signal.setitimer(signal.ITIMER_REAL, 0)
        while True: pass
    """,
)
