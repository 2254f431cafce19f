"""A program is started in a session of its own and left."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="processes that stay",
    where="update",
    part="1",
    deserved=("planted_run", "planted_calls"),
    control="left a process",
    needs_isolation=True,
    files=right_scheduler(
        update="""
            try:
                import subprocess
                subprocess.Popen(['/bin/sh', '-c', 'sleep 60; :', '@MARK@'], start_new_session=True)
            except BaseException:
                pass
        """,
    ),
)
