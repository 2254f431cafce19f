"""Schedules are equal to everything, for all who use the class."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import wrong_scheduler

ATTACK = Attack(
    mechanism="patching the lab's library",
    where="import",
    part="1",
    deserved=(),
    control="forged",
    files=wrong_scheduler(
        top="""
            import batching_lab.schedule
            batching_lab.schedule.Schedule.__eq__ = lambda self, other: True
            batching_lab.schedule.Schedule.__getattribute__ = lambda self, name: [] if name == "num_scheduled_tokens" else ()
        """,
        update="""
            import sys
            name = 'A' if getattr(self, 'called', False) else None
            self.called = True
            return [name] if name else []
        """,
    ),
)
