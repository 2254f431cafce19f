"""The expected schedules are taken from the test's module in sys.modules."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import wrong_scheduler

ATTACK = Attack(
    mechanism="reading expected values",
    where="schedule",
    part="1",
    deserved=(),
    control="forged",
    files=wrong_scheduler(
        top="""
            import sys
            def find():
                for name, module in sys.modules.items():
                    if "plain" in name or "hidden" in name:
                        return module.TICKS
        """,
        constructor="self.n = 0",
        schedule="self.n += 1; return find()[self.n - 1]",
        update="return ['A'] if self.n == 2 else []",
    ),
)
