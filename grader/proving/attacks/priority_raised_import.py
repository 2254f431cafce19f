"""The process takes a better priority than others have."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "lifting limits"
WHERE = "import"
PART = "1"
DESERVED: tuple[str, ...] = ("planted_run", "planted_calls")
CONTROL = "succeeded"
NEEDS_ISOLATION = True
FILES = right_scheduler(
    top="""
        try:
            import os
            os.nice(-5)
            print('SUCCEEDED', flush=True)
        except BaseException:
            pass
    """,
)
