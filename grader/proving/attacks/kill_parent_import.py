"""The parent process is killed."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "killing processes"
WHERE = "import"
PART = "1"
DESERVED: tuple[str, ...] = ("planted_run", "planted_calls")
CONTROL = "died"
NEEDS_ISOLATION = True
KILLS = True
FILES = right_scheduler(
    top="""
        try:
            import os, signal
            os.kill(os.getppid(), signal.SIGKILL)
        except BaseException:
            pass
    """,
)
