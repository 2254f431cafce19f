"""A child keeps the channel open and answers beside its parent."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="many processes",
    where="update",
    part="1",
    deserved=("planted_run", "planted_calls"),
    control="succeeded",
    needs_isolation=True,
    files=right_scheduler(
        update="""
            try:
                import os
                if os.fork() == 0:
                    for _ in range(20):
                        for fd in range(3, 12):
                            try:
                                os.write(fd, b'{}\\n')
                            except OSError:
                                pass
                    os._exit(0)
                print('SUCCEEDED', flush=True)
            except BaseException:
                pass
        """,
    ),
)
