"""A thread that prints without end."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "floods"
WHERE = "thread"
PART = "1"
DESERVED: tuple[str, ...] = ("planted_run", "planted_calls")
CONTROL = "flooded"
FILES = right_scheduler(
    top="""
        import os, threading
        def shout():
            try:
                for _ in range(3000): os.write(2, b'x' * 60_000)
            except OSError:
                pass
        threading.Thread(target=shout, daemon=True).start()
    """,
    update="import time; time.sleep(0.1)",
)
