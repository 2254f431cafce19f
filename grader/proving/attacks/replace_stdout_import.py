"""sys.stdout and sys.stderr are objects that raise whatever is asked of them."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "hooks of the standard library"
WHERE = "import"
PART = "1"
DESERVED: tuple[str, ...] = ("planted_run", "planted_calls")
CONTROL = "died"
FILES = right_scheduler(
    top="""
        import sys
        class Broken:
            def __getattr__(self, name): raise AttributeError(name)
        sys.stdout = sys.stderr = sys.__stdout__ = Broken()
    """,
)
