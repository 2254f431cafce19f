"""A process in a session of its own stays behind."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="processes that stay",
    where="import",
    part="1",
    deserved=("planted_run", "planted_calls"),
    control="left a process",
    needs_isolation=True,
    files=right_scheduler(
        top="""
            try:
                import os, time
                if os.fork() == 0:
                    os.setsid()
                    if os.fork() == 0:
                        os.execv('/bin/sh', ['sh', '-c', 'sleep 60; :', '@MARK@'])
                    os._exit(0)
            except BaseException:
                pass
        """,
    ),
)
