"""A thread answers questions before they are asked, with guessed ids."""

from grader.proving.attacks.bases import wrong_scheduler

MECHANISM = "forged replies"
WHERE = "thread"
PART = "1"
DESERVED: tuple[str, ...] = ()
NOT_SHOWN = "the plain grader has no channel"
FILES = wrong_scheduler(
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
)
