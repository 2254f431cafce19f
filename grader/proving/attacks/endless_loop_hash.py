"""A request id whose hash never ends, once it is in the dict."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="endless loops",
    where="__hash__",
    part="1",
    deserved=(),
    not_shown="the loop's check of types comes before the first hash",
    files=right_scheduler(
        top="""
            class Slow(str):
                slow = False
                def __hash__(self):
                    while Slow.slow: pass
                    return 1
        """,
        schedule="result = Schedule({Slow('A'): 1}); Slow.slow = True; return result",
    ),
)
