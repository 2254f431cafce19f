"""The parent process is traced."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="reading other processes",
    where="update",
    part="1",
    deserved=("planted_run", "planted_calls"),
    control="succeeded",
    needs_isolation=True,
    files=right_scheduler(
        update="""
            try:
                import ctypes, os
                libc = ctypes.CDLL(None, use_errno=True)
                if libc.ptrace(0x4206, os.getppid(), 0, 0) == 0:
                    print('SUCCEEDED', flush=True)
            except BaseException:
                pass
        """,
    ),
)
