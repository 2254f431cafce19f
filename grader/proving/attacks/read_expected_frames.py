"""The right answers are looked for in the variables of all callers."""

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
            def find(name):
                frame = sys._getframe(2)
                while frame:
                    if name in {**frame.f_globals, **frame.f_locals}:
                        return {**frame.f_globals, **frame.f_locals}[name]
                    frame = frame.f_back
        """,
        constructor="self.n = 0",
        schedule="self.n += 1; return find('TICKS')[self.n - 1]",
        update="return ['A'] if self.n == 2 else []",
    ),
)
