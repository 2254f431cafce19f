"""A hidden value is told as the line in which an exception was raised."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="telling hidden values",
    where="add_request",
    part="1",
    deserved=(),
    control="leaked",
    files=right_scheduler(
        top="LINES = 1",
        add_request="""
            number = request.prompt_token_ids[0]
            exec(compile(chr(10) * (number - 1) + 'raise KeyError(1)', __file__, 'exec'))
        """,
        bottom="\n" * 920_000,
    ),
)
