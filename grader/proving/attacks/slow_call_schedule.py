"""Every call takes a good part of its time."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="slow calls",
    where="schedule",
    part="1",
    deserved=("planted_run", "planted_calls"),
    not_shown="the plain grader allows any time that stays below its own limit",
    files=right_scheduler(
        schedule="""
            import time
            end = time.process_time() + 0.1
            while time.process_time() < end: pass
        """,
    ),
)
