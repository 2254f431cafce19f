"""One test leaves a segment of shared memory for the next."""

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
            import ctypes
            libc = ctypes.CDLL(None)
            if libc.shmget(0x5b1c, 4096, 0) >= 0:
                print('SUCCEEDED', flush=True)
                libc.shmctl(libc.shmget(0x5b1c, 4096, 0), 0, 0)
            else:
                libc.shmget(0x5b1c, 4096, 0o1666)
        except BaseException:
            pass
    """,
)
