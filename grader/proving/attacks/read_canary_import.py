"""A file of somebody else's that everybody may read is printed."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="reading files",
    where="import",
    part="1",
    deserved=("planted_run", "planted_calls"),
    control="read the canary",
    needs_isolation=True,
    files=right_scheduler(
        top="""
            try:
                print(open('@CANARY@').read(), flush=True)
            except BaseException:
                pass
        """,
    ),
)
