"""A number of tokens with ten thousand digits."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "floods"
WHERE = "reply object"
PART = "1"
DESERVED: tuple[str, ...] = ()
NOT_SHOWN = "a failed test there, too"
FILES = right_scheduler(
    schedule="return Schedule({'A': 1 << 40_000})",
)
