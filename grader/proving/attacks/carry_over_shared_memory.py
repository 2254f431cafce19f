"""One test leaves a segment of shared memory for the next."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="carrying over from test to test",
    where="import",
    part="1",
    deserved=("planted_run", "planted_calls"),
    not_shown="all tests share one process there anyway",
    needs_isolation=True,
    files=right_scheduler(
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
    ),
)
