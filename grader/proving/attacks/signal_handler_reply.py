"""A timer interrupts the making of each reply and writes into the channel."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "code that runs while the reply is made"
WHERE = "signal handler"
PART = "1"
DESERVED: tuple[str, ...] = ()
NOT_SHOWN = "the plain grader has no channel"
FILES = right_scheduler(
    top="""
        import os, signal
        def write(*args):
            for fd in range(3, 12):
                try:
                    os.write(fd, b'PASSED\\n')
                except OSError:
                    pass
    """,
    update="signal.signal(signal.SIGALRM, write); signal.setitimer(signal.ITIMER_REAL, 0.0001, 0.0001)",
)
