"""All clocks of the process stand still."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "false clocks"
WHERE = "import"
PART = "1"
DESERVED: tuple[str, ...] = ("planted_run", "planted_calls")
NOT_SHOWN = "the plain grader times nothing"
FILES = right_scheduler(
    top="""
        import time
        for name in ("time", "monotonic", "perf_counter", "process_time", "thread_time"):
            setattr(time, name, lambda: 0.0)
            setattr(time, name + "_ns", lambda: 0)
    """,
    schedule="time.sleep(0)",
)
