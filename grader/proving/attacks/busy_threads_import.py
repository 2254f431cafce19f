"""Fifty threads compete with the calls."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "threads that stay"
WHERE = "thread"
PART = "1"
DESERVED: tuple[str, ...] = ()
NOT_SHOWN = "the plain grader only becomes slower"
FILES = right_scheduler(
    top="""
        import threading
        def burn():
            while True: pass
        try:
            for _ in range(50): threading.Thread(target=burn, daemon=True).start()
        except RuntimeError:
            pass
    """,
)
