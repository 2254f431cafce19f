"""One test leaves a file in /tmp or /dev/shm for the next."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="carrying over from test to test",
    where="import",
    part="1",
    deserved=("planted_run", "planted_calls"),
    not_shown="all tests share one process there anyway",
    needs_isolation=True,
    files=right_scheduler(
        top="""
            try:
                import os
                for folder in ('@SCRATCH@', '/dev/shm'):
                    name = f'{folder}/{os.path.basename("@MARK@")}'
                    if os.path.exists(name):
                        print('SUCCEEDED', flush=True)
                        os.unlink(name)
                    else:
                        open(name, 'w').close()
            except BaseException:
                pass
        """,
    ),
)
