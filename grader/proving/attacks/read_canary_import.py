"""A file of somebody else's that everybody may read is printed."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "reading files"
WHERE = "import"
PART = "1"
DESERVED: tuple[str, ...] = ("planted_run", "planted_calls")
CONTROL = "read the canary"
NEEDS_ISOLATION = True
FILES = right_scheduler(
    top="""
        try:
            print(open('@CANARY@').read(), flush=True)
        except BaseException:
            pass
    """,
)
