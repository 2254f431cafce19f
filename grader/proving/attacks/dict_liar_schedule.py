"""A dict whose items() are others than its contents, and which is equal to any."""

from grader.proving.attacks.bases import wrong_scheduler

MECHANISM = "dict of another type"
WHERE = "schedule"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "forged"
FILES = wrong_scheduler(
    top="""
        class Two(dict):
            def items(self): return [("A", 1)]
            def __eq__(self, other): return True
            def __len__(self): return 1
    """,
    schedule="return Schedule(Two())",
)
