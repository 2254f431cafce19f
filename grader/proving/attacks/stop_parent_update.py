"""The parent process is stopped."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "stopping the process"
WHERE = "update"
PART = "1"
DESERVED: tuple[str, ...] = ("planted_run", "planted_calls")
CONTROL = "hung"
NEEDS_ISOLATION = True
ONLY_ISOLATED = "the process that starts the workers is stopped: for each worker the grader then waits a minute before it starts another"
FILES = right_scheduler(
    update="""
        import os, signal
        try:
            os.kill(os.getppid(), signal.SIGSTOP)
        except OSError:
            pass
    """,
)
