"""A process in a session of its own stays behind."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "processes that stay"
WHERE = "import"
PART = "1"
DESERVED: tuple[str, ...] = ("planted_run", "planted_calls")
CONTROL = "left a process"
NEEDS_ISOLATION = True
FILES = right_scheduler(
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
)
