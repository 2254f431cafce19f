"""At each collection of garbage, also while a reply is made, a line is written into the channel."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="code that runs while the reply is made",
    where="update",
    part="1",
    deserved=(),
    not_shown="the plain grader has no channel",
    files=right_scheduler(
        top="""
            import gc, os
            def write(*args):
                for fd in range(3, 12):
                    try:
                        os.write(fd, b'{"id": 1}\\n')
                    except OSError:
                        pass
        """,
        update="gc.callbacks.append(write); gc.set_threshold(1)",
    ),
)
