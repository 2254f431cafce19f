"""Requests are made shorter as they come in, and tokens are changed before they are counted."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="changing the inputs",
    where="add_request",
    part="1",
    deserved=(),
    not_shown="the plain tests look at no request again",
    files=right_scheduler(
        add_request="""
            object.__setattr__(request, 'prompt_token_ids', (1,))
            object.__setattr__(request, 'max_tokens', 1)
        """,
        update="sampled.update(dict.fromkeys(sampled, 5))",
    ),
)
