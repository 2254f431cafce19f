"""All descriptors of the process are closed."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "closed descriptors"
WHERE = "schedule"
PART = "1"
DESERVED: tuple[str, ...] = ()
NOT_SHOWN = "it differs with pytest's version whether the report is still written"
FILES = right_scheduler(
    schedule="import os; os.closerange(0, 1024)",
)
