"""isinstance, type, len, all and set answer as the submission likes."""

from grader.proving.attacks.bases import wrong_scheduler

MECHANISM = "replaced built-ins"
WHERE = "import"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "hung"
FILES = wrong_scheduler(
    top="""
        import builtins
        builtins.isinstance = lambda *args: True
        builtins.len = lambda *args: 1
        builtins.all = lambda *args: True
        builtins.sorted = lambda *args, **kwargs: []
    """,
    schedule="return 1",
    update="return 1",
)
