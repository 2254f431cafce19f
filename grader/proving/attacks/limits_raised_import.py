"""The limits on memory and on the size of files are lifted again."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="lifting limits",
    where="import",
    part="1",
    deserved=("planted_run", "planted_calls"),
    control="succeeded",
    needs_isolation=True,
    files=right_scheduler(
        top="""
            try:
                import resource
                for name in (resource.RLIMIT_AS, resource.RLIMIT_FSIZE):
                    resource.setrlimit(name, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
                import mmap
                data = mmap.mmap(-1, 3 << 30)
                print('SUCCEEDED', flush=True)
            except BaseException:
                pass
        """,
    ),
)
