"""The parent's open files are opened again through /proc."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="reading other processes",
    where="schedule",
    part="1",
    deserved=("planted_run", "planted_calls"),
    control="succeeded",
    needs_isolation=True,
    files=right_scheduler(
        schedule="""
            try:
                import os
                for name in os.listdir(f'/proc/{os.getppid()}/fd'):
                    os.readlink(f'/proc/{os.getppid()}/fd/{name}')
                    print('SUCCEEDED', flush=True)
            except BaseException:
                pass
        """,
    ),
)
