"""All clocks of the process stand still."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="false clocks",
    where="import",
    part="1",
    deserved=("planted_run", "planted_calls"),
    not_shown="the plain grader times nothing",
    files=right_scheduler(
        top="""
            import time
            for name in ("time", "monotonic", "perf_counter", "process_time", "thread_time"):
                setattr(time, name, lambda: 0.0)
                setattr(time, name + "_ns", lambda: 0)
        """,
        schedule="time.sleep(0)",
    ),
)
