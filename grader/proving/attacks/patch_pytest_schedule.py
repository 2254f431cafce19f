"""The running test's function is replaced by one that does nothing, and the session's count of failures by 0."""

from grader.proving.attacks.bases import wrong_scheduler

MECHANISM = "patching the test framework"
WHERE = "schedule"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "forged"
FILES = wrong_scheduler(
    top="import gc, sys",
    schedule="""
        python = sys.modules.get("_pytest.python")
        for thing in gc.get_objects():
            if python and isinstance(thing, python.Function):
                thing.obj = lambda *args, **kwargs: None
    """,
)
