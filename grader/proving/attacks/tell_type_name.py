"""A hidden value is told as the name of the type that is returned."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="telling hidden values",
    where="schedule",
    part="1",
    deserved=(),
    control="leaked",
    files=right_scheduler(
        add_request="self.told = 'x%d' % request.prompt_token_ids[0]",
        schedule="return type(self.told, (), {})()",
        update="return type(self.told, (), {})()",
    ),
)
