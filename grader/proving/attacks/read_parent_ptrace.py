"""The parent process is traced."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "reading other processes"
WHERE = "update"
PART = "1"
DESERVED: tuple[str, ...] = ("planted_run", "planted_calls")
CONTROL = "succeeded"
NEEDS_ISOLATION = True
FILES = right_scheduler(
    update="""
        try:
            import ctypes, os
            libc = ctypes.CDLL(None, use_errno=True)
            if libc.ptrace(0x4206, os.getppid(), 0, 0) == 0:
                print('SUCCEEDED', flush=True)
        except BaseException:
            pass
    """,
)
