"""An exception with causes in a ring, a deep traceback and a text of ten megabytes."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="floods",
    where="schedule",
    part="1",
    deserved=(),
    control="flooded",
    files=right_scheduler(
        schedule="""
            def deeper(n):
                if n: deeper(n - 1)
                error = ValueError('x' * 10_000_000)
                error.__cause__ = RuntimeError('y')
                error.__cause__.__context__ = error
                raise error
            deeper(100)
        """,
    ),
)
