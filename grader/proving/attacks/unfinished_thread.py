"""A thread that is no daemon never ends, so the process does not either."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "threads that stay"
WHERE = "thread"
PART = "1"
DESERVED: tuple[str, ...] = ("planted_run", "planted_calls")
CONTROL = "hung"
FILES = right_scheduler(
    top="""
        import threading, time
        def wait():
            while True: time.sleep(1)
        threading.Thread(target=wait).start()
    """,
)
