"""A hidden value is told as the name of the type that is returned."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "telling hidden values"
WHERE = "schedule"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "leaked"
FILES = right_scheduler(
    add_request="self.told = 'x%d' % request.prompt_token_ids[0]",
    schedule="return type(self.told, (), {})()",
    update="return type(self.told, (), {})()",
)
