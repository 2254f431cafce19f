"""One test leaves a file for the next."""

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
                import os
                if os.path.exists('left'):
                    print('SUCCEEDED', flush=True)
                os.mkdir('left')
            except BaseException:
                pass
        """,
    ),
)
