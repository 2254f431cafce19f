"""A program is started in a session of its own and left."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "processes that stay"
WHERE = "update"
PART = "1"
DESERVED: tuple[str, ...] = ("planted_run", "planted_calls")
CONTROL = "left a process"
NEEDS_ISOLATION = True
FILES = right_scheduler(
    update="""
        try:
            import subprocess
            subprocess.Popen(['/bin/sh', '-c', 'sleep 60; :', '@MARK@'], start_new_session=True)
        except BaseException:
            pass
    """,
)
