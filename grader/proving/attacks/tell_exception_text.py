"""A hidden value is told by the text, the class name and the function of an exception."""

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
            name = 'x%d' % request.prompt_token_ids[0]
            namespace = {'__name__': 'x'}
            exec(f'def {name}(): raise type("{name}", (ValueError,), {{}})("{name}")', namespace)
            namespace[name]()
        """,
    ),
)
