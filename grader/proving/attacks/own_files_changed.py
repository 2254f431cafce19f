"""The submission's own files are changed in mode and time, moved and removed."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="changing its own files",
    where="import",
    part="1",
    deserved=("planted_run", "planted_calls"),
    control="succeeded",
    needs_isolation=True,
    files=right_scheduler(
        top="""
            try:
                import os
                os.chmod(__file__, 0o777)
                os.utime(__file__, (0, 0))
                os.rename('answers.toml', 'x.toml')
                os.unlink('kv_allocator.py')
                print('SUCCEEDED', flush=True)
            except BaseException:
                pass
        """,
    ),
)
