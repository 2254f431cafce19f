"""Schedules are equal to everything, for all who use the class."""

from grader.proving.attacks.bases import wrong_scheduler

MECHANISM = "patching the lab's library"
WHERE = "import"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "forged"
FILES = wrong_scheduler(
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
)
