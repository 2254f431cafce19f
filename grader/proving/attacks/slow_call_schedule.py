"""Every call takes a good part of its time."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "slow calls"
WHERE = "schedule"
PART = "1"
DESERVED: tuple[str, ...] = ("planted_run", "planted_calls")
NOT_SHOWN = "the plain grader allows any time that stays below its own limit"
FILES = right_scheduler(
    schedule="""
        import time
        end = time.process_time() + 0.1
        while time.process_time() < end: pass
    """,
)
