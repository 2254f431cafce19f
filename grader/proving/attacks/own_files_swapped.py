"""The temporary folder is moved away, and a link to another one put in its place."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="changing its own files",
    where="import",
    part="1",
    deserved=("planted_run", "planted_calls"),
    not_shown="the plain grader cleans nothing up",
    needs_isolation=True,
    kills=True,
    files=right_scheduler(
        top="""
            import os
            above = os.path.dirname(os.getcwd())
            try:
                os.rename(above, above + '-moved')
                os.symlink('@SCRATCH@', above)
            except OSError:
                pass
        """,
    ),
)
