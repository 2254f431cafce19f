"""More memory than there may be; the exception is swallowed, and the work goes on."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="memory",
    where="schedule",
    part="1",
    deserved=("planted_run", "planted_calls"),
    control="succeeded",
    files=right_scheduler(
        schedule="""
            import mmap
            try:
                data = mmap.mmap(-1, 2 << 30)
                print('SUCCEEDED', flush=True)
            except (MemoryError, OSError):
                pass
        """,
    ),
)
