"""A hidden value is told as the id of a request that does not exist."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="telling hidden values",
    where="schedule",
    part="1",
    deserved=(),
    control="leaked",
    files=right_scheduler(
        add_request="self.told = getattr(self, 'told', '') + str(request.prompt_token_ids)",
        schedule="return Schedule({self.told: 1})",
        update="return [self.told]",
    ),
)
