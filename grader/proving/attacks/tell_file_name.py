"""A hidden value is told as the name of the file that raised."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="telling hidden values",
    where="add_request",
    part="1",
    deserved=(),
    control="leaked",
    files=right_scheduler(
        add_request="""
            name = f'{__file__.rpartition("/")[0]}/x{request.prompt_token_ids[0]}.py'
            exec(compile('raise KeyError(1)', name, 'exec'))
        """,
    ),
)
