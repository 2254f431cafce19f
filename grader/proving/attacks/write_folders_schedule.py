"""Folders, links and pipes, which need no room in a file."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "writing files"
WHERE = "schedule"
PART = "1"
DESERVED: tuple[str, ...] = ("planted_run", "planted_calls")
CONTROL = "left a file"
NEEDS_ISOLATION = True
FILES = right_scheduler(
    schedule="""
        try:
            import os
            os.makedirs('@SCRATCH@/a/b', exist_ok=True)
            os.symlink('x' * 4000, '@SCRATCH@/link')
            os.mkfifo('@SCRATCH@/pipe')
        except BaseException:
            pass
    """,
)
