"""dict, list and print are replaced while update() runs."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="replaced built-ins",
    where="update",
    part="1",
    deserved=("planted_run", "planted_calls"),
    not_shown="nothing of the plain grader's is stopped by it",
    files=right_scheduler(
        update="""
            import builtins
            builtins.print = builtins.open = builtins.input = None
            builtins.repr = builtins.id = lambda *args: 'x'
        """,
    ),
)
