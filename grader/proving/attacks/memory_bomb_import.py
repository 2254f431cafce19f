"""More memory than there may be, while the file is imported."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="memory",
    where="import",
    part="1",
    deserved=(),
    control="succeeded",
    files=right_scheduler(
        top="""
            import mmap
            data = mmap.mmap(-1, 2 << 30)
            print('SUCCEEDED', flush=True)
        """,
    ),
)
