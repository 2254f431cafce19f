"""An object whose __class__ is Schedule, with fields that change between check and use."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import wrong_scheduler

ATTACK = Attack(
    mechanism="liar about its class",
    where="reply object",
    part="1",
    deserved=(),
    control="forged",
    files=wrong_scheduler(
        top="""
            class Liar:
                __class__ = Schedule
                calls = 0
                preempted = ()
                @property
                def num_scheduled_tokens(self):
                    Liar.calls += 1
                    return {"A": 1} if Liar.calls % 2 else {"A": 1.0, True: None}
                def __eq__(self, other): return True
        """,
        schedule="return Liar()",
        update="return ['A'] if Liar.calls > 2 else []",
    ),
)
