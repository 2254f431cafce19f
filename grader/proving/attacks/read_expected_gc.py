"""The expected schedules are looked for among all objects of the process."""

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
            import gc
            def find():
                for thing in gc.get_objects():
                    if isinstance(thing, list) and len(thing) > 1 and all(type(item) is Schedule for item in thing):
                        yield thing
        """,
        constructor="self.n = 0",
        schedule="self.n += 1; return next(find())[self.n - 1]",
        update="return ['A'] if self.n == 2 else []",
    ),
)
