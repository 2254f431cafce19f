"""A dict whose items() are others than its contents, and which is equal to any."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import wrong_scheduler

ATTACK = Attack(
    mechanism="dict of another type",
    where="schedule",
    part="1",
    deserved=(),
    control="forged",
    files=wrong_scheduler(
        top="""
            class Two(dict):
                def items(self): return [("A", 1)]
                def __eq__(self, other): return True
                def __len__(self): return 1
        """,
        schedule="return Schedule(Two())",
    ),
)
