"""The memory of the parent process is read."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="reading other processes",
    where="import",
    part="1",
    deserved=("planted_run", "planted_calls"),
    control="succeeded",
    needs_isolation=True,
    files=right_scheduler(
        top="""
            try:
                import os
                maps = open(f'/proc/{os.getppid()}/maps').read().splitlines()
                start = next(line for line in maps if 'rw-p' in line).split('-')[0]
                memory = open(f'/proc/{os.getppid()}/mem', 'rb')
                memory.seek(int(start, 16))
                memory.read(16)
                print('SUCCEEDED', flush=True)
            except BaseException:
                pass
        """,
    ),
)
