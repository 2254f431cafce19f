"""Twenty megabytes on stdout and stderr in each call."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "floods"
WHERE = "schedule"
PART = "1"
DESERVED: tuple[str, ...] = ("planted_run", "planted_calls")
CONTROL = "flooded"
FILES = right_scheduler(
    top="import os",
    schedule="for _ in range(20): os.write(1, b'x' * 500_000); os.write(2, b'x' * 500_000)",
)
