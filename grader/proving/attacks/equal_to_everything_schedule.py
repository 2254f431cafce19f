"""What schedule() returns is equal to everything."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import wrong_scheduler

ATTACK = Attack(
    mechanism="equal to everything",
    where="reply object",
    part="1",
    deserved=(),
    control="forged",
    files=wrong_scheduler(
        top="""
            class Anything:
                def __eq__(self, other): return True
                def __hash__(self): return 0
                num_scheduled_tokens = {"A": 1}
                preempted = ()
        """,
        schedule="return Anything()",
        update="return Anything()",
    ),
)
