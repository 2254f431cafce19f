"""A file is written where everybody may write."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="writing files",
    where="import",
    part="1",
    deserved=("planted_run", "planted_calls"),
    control="left a file",
    needs_isolation=True,
    files=right_scheduler(
        top="""
            try:
                open('@SCRATCH@/left', 'w').write('x')
            except BaseException:
                pass
        """,
    ),
)
