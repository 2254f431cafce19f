"""A child does endless work while the worker waits for it, so that the worker's processor time stands still."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "false clocks"
WHERE = "schedule"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "hung"
SLEEPS = True
NEEDS_ISOLATION = True
FILES = right_scheduler(
    schedule="""
        import os
        pid = os.fork()
        if pid == 0:
            while True: pass
        os.waitpid(pid, 0)
    """,
)
