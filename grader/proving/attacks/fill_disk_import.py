"""The limit on a file's size is lifted and the disk filled (here: with little)."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="writing files",
    where="import",
    part="1",
    deserved=("planted_run", "planted_calls"),
    control="left a file",
    needs_isolation=True,
    files=right_scheduler(
        top="""
            try:
                import resource
                try:
                    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
                except (OSError, ValueError):
                    pass
                for number in range(20):
                    open(f'@SCRATCH@/{number}', 'w').write('x' * 100_000)
            except BaseException:
                pass
        """,
    ),
)
