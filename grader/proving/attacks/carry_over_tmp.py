"""One test leaves a file in /tmp or /dev/shm for the next."""

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
            for folder in ('@SCRATCH@', '/dev/shm'):
                name = f'{folder}/{os.path.basename("@MARK@")}'
                if os.path.exists(name):
                    print('SUCCEEDED', flush=True)
                    os.unlink(name)
                else:
                    open(name, 'w').close()
        except BaseException:
            pass
    """,
)
