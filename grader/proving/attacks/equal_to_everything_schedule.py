"""What schedule() returns is equal to everything."""

from grader.proving.attacks.bases import wrong_scheduler

MECHANISM = "equal to everything"
WHERE = "reply object"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "forged"
FILES = wrong_scheduler(
    top="""
        class Anything:
            def __eq__(self, other): return True
            def __hash__(self): return 0
            num_scheduled_tokens = {"A": 1}
            preempted = ()
    """,
    schedule="return Anything()",
    update="return Anything()",
)
