"""An exception with causes in a ring, a deep traceback and a text of ten megabytes."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "floods"
WHERE = "schedule"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "flooded"
FILES = right_scheduler(
    schedule="""
        def deeper(n):
            if n: deeper(n - 1)
            error = ValueError('x' * 10_000_000)
            error.__cause__ = RuntimeError('y')
            error.__cause__.__context__ = error
            raise error
        deeper(100)
    """,
)
