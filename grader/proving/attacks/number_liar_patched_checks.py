"""The worker's own type checks are switched off, and every number becomes a float, which is right otherwise."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="number of another type",
    where="schedule",
    part="1",
    deserved=(),
    not_shown="the loop of the plain grader checks types itself",
    files=right_scheduler(
        top="""
            import sys
            main = sys.modules["__main__"]
            main.check_schedule = lambda *_: None
            main.exact_int = lambda value, what: value
        """,
        schedule="return Schedule({k: float(v) for k, v in super().schedule().num_scheduled_tokens.items()})",
    ),
)
