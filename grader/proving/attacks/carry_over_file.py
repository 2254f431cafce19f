"""One test leaves a file for the next."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "carrying over from test to test"
WHERE = "import"
PART = "1"
DESERVED: tuple[str, ...] = ("planted_run", "planted_calls")
NOT_SHOWN = "all tests share one process there anyway"
NEEDS_ISOLATION = True
FILES = right_scheduler(
    top="""
        try:
            import os
            if os.path.exists('left'):
                print('SUCCEEDED', flush=True)
            os.mkdir('left')
        except BaseException:
            pass
    """,
)
