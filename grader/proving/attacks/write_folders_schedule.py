"""Folders, links and pipes, which need no room in a file."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="writing files",
    where="schedule",
    part="1",
    deserved=("planted_run", "planted_calls"),
    control="left a file",
    needs_isolation=True,
    files=right_scheduler(
        schedule="""
            try:
                import os
                os.makedirs('@SCRATCH@/a/b', exist_ok=True)
                os.symlink('x' * 4000, '@SCRATCH@/link')
                os.mkfifo('@SCRATCH@/pipe')
            except BaseException:
                pass
        """,
    ),
)
