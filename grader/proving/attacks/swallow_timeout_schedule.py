"""except BaseException around an endless loop: no exception ends it."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "swallowing the timeout"
WHERE = "schedule"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "hung"
CONTROL_OPTIONS = ["--timeout=1"]
FILES = right_scheduler(
    schedule="""
        while True:
            try:
                while True: pass
            except BaseException:
                pass
    """,
)
