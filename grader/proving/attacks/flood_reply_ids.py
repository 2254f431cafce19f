"""A request id of ten megabytes."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "floods"
WHERE = "update"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "flooded"
FILES = right_scheduler(
    update="return ['x' * 10_000_000]",
)
