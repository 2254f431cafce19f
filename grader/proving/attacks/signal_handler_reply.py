"""A timer interrupts the making of each reply and writes into the channel."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="code that runs while the reply is made",
    where="signal handler",
    part="1",
    deserved=(),
    not_shown="the plain grader has no channel",
    files=right_scheduler(
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
    ),
)
