"""A file is written where everybody may write."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "writing files"
WHERE = "import"
PART = "1"
DESERVED: tuple[str, ...] = ("planted_run", "planted_calls")
CONTROL = "left a file"
NEEDS_ISOLATION = True
FILES = right_scheduler(
    top="""
        try:
            open('@SCRATCH@/left', 'w').write('x')
        except BaseException:
            pass
    """,
)
