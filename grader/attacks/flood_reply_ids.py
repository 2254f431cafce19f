"""A request id of fifty megabytes."""

from grader.attacks.bases import right_scheduler

MECHANISM = "floods"
WHERE = "update"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "flooded"
FILES = right_scheduler(
    update="return ['x' * 50_000_000]",
)
