"""More memory than there may be; the exception is swallowed, and the work goes on."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "memory"
WHERE = "schedule"
PART = "1"
DESERVED: tuple[str, ...] = ("planted_run", "planted_calls")
CONTROL = "succeeded"
FILES = right_scheduler(
    schedule="""
        import mmap
        try:
            data = mmap.mmap(-1, 2 << 30)
            print('SUCCEEDED', flush=True)
        except (MemoryError, OSError):
            pass
    """,
)
