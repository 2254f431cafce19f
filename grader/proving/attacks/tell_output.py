"""Hidden values are printed."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "telling hidden values"
WHERE = "add_request"
PART = "1"
DESERVED: tuple[str, ...] = ("planted_run", "planted_calls")
CONTROL = "leaked"
FILES = right_scheduler(
    add_request="print(request, flush=True)",
)
