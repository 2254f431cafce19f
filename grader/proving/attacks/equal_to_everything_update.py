"""The list that update() returns is equal to every other list, and schedule() returns such a dict."""

from grader.proving.attacks.bases import wrong_scheduler

MECHANISM = "equal to everything"
WHERE = "update"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "forged"
FILES = wrong_scheduler(
    top="""
        class AnyList(list):
            def __eq__(self, other): return True
        class AnyDict(dict):
            def __eq__(self, other): return True
    """,
    schedule="return Schedule(AnyDict())",
    update="return AnyList()",
)
