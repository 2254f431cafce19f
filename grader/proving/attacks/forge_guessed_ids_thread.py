"""A thread answers questions before they are asked, with guessed ids."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import wrong_scheduler

ATTACK = Attack(
    mechanism="forged replies",
    where="thread",
    part="1",
    deserved=(),
    not_shown="the plain grader has no channel",
    files=wrong_scheduler(
        top="""
            import os, threading, time
            def answer():
                number = 0
                while True:
                    number += 1
                    line = b'{"id": %d, "value": {"scheduled": [["A", 2]], "preempted": [], "finished": [], "has_unfinished": true}}\\n' % number
                    for fd in range(3, 12):
                        try:
                            os.write(fd, line)
                        except OSError:
                            pass
                    time.sleep(0.001)
            threading.Thread(target=answer, daemon=True).start()
        """,
    ),
)
