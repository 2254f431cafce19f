"""dict, list and print are replaced while update() runs."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "replaced built-ins"
WHERE = "update"
PART = "1"
DESERVED: tuple[str, ...] = ("planted_run", "planted_calls")
NOT_SHOWN = "nothing of the plain grader's is stopped by it"
FILES = right_scheduler(
    update="""
        import builtins
        builtins.print = builtins.open = builtins.input = None
        builtins.repr = builtins.id = lambda *args: 'x'
    """,
)
