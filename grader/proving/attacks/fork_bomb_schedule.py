"""Processes without end (here: thirty)."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "many processes"
WHERE = "schedule"
PART = "1"
DESERVED: tuple[str, ...] = ("planted_run", "planted_calls")
CONTROL = "succeeded"
NEEDS_ISOLATION = True
FILES = right_scheduler(
    schedule="""
        try:
            import os, time
            for _ in range(30):
                if os.fork() == 0:
                    time.sleep(60)
                    os._exit(0)
            print('SUCCEEDED', flush=True)
        except BaseException:
            pass
    """,
)
