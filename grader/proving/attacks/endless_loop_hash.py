"""A request id whose hash never ends, once it is in the dict."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "endless loops"
WHERE = "__hash__"
PART = "1"
DESERVED: tuple[str, ...] = ()
NOT_SHOWN = "the loop's check of types comes before the first hash"
FILES = right_scheduler(
    top="""
        class Slow(str):
            slow = False
            def __hash__(self):
                while Slow.slow: pass
                return 1
    """,
    schedule="result = Schedule({Slow('A'): 1}); Slow.slow = True; return result",
)
