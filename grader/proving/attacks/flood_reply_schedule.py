"""A schedule with a million entries."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "floods"
WHERE = "schedule"
PART = "1"
DESERVED: tuple[str, ...] = ()
NOT_SHOWN = "the plain grader has no channel"
FILES = right_scheduler(
    schedule="return Schedule({str(n): 1 for n in range(200_000)})",
)
