"""The list that update() returns is equal to every other list, and schedule() returns such a dict."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import wrong_scheduler

ATTACK = Attack(
    mechanism="equal to everything",
    where="update",
    part="1",
    deserved=(),
    control="forged",
    files=wrong_scheduler(
        top="""
            class AnyList(list):
                def __eq__(self, other): return True
            class AnyDict(dict):
                def __eq__(self, other): return True
        """,
        schedule="return Schedule(AnyDict())",
        update="return AnyList()",
    ),
)
