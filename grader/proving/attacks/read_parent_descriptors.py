"""The parent's open files are opened again through /proc."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "reading other processes"
WHERE = "schedule"
PART = "1"
DESERVED: tuple[str, ...] = ("planted_run", "planted_calls")
CONTROL = "succeeded"
NEEDS_ISOLATION = True
FILES = right_scheduler(
    schedule="""
        try:
            import os
            for name in os.listdir(f'/proc/{os.getppid()}/fd'):
                os.readlink(f'/proc/{os.getppid()}/fd/{name}')
                print('SUCCEEDED', flush=True)
        except BaseException:
            pass
    """,
)
