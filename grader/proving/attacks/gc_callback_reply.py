"""At each collection of garbage, also while a reply is made, a line is written into the channel."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "code that runs while the reply is made"
WHERE = "update"
PART = "1"
DESERVED: tuple[str, ...] = ()
NOT_SHOWN = "the plain grader has no channel"
FILES = right_scheduler(
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
)
