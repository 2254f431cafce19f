"""Requests are made shorter as they come in, and tokens are changed before they are counted."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "changing the inputs"
WHERE = "add_request"
PART = "1"
DESERVED: tuple[str, ...] = ()
NOT_SHOWN = "the plain tests look at no request again"
FILES = right_scheduler(
    add_request="""
        object.__setattr__(request, 'prompt_token_ids', (1,))
        object.__setattr__(request, 'max_tokens', 1)
    """,
    update="sampled.update(dict.fromkeys(sampled, 5))",
)
