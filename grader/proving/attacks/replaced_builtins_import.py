"""isinstance, type, len, all and set answer as the submission likes."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import wrong_scheduler

ATTACK = Attack(
    mechanism="replaced built-ins",
    where="import",
    part="1",
    deserved=(),
    control="hung",
    files=wrong_scheduler(
        top="""
            import builtins
            builtins.isinstance = lambda *args: True
            builtins.len = lambda *args: 1
            builtins.all = lambda *args: True
            builtins.sorted = lambda *args, **kwargs: []
        """,
        schedule="return 1",
        update="return 1",
    ),
)
