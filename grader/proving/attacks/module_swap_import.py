"""The module puts another object in its place in sys.modules, and fakes in place of the lab's modules."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import wrong_scheduler

ATTACK = Attack(
    mechanism="import hooks",
    where="import",
    part="1",
    deserved=(),
    control="forged",
    files=wrong_scheduler(
        top="""
            import sys, types
            harness = sys.modules.get("batching_lab.harness")
            class Fake(types.ModuleType):
                def __getattr__(self, name):
                    return lambda *args, **kwargs: None
            for name in [name for name in sys.modules if name.startswith(("batching_lab.", "grader", "test_"))]:
                if "schedule" not in name and "request" not in name:
                    sys.modules[name] = Fake(name)
            if harness:
                harness.serve = lambda *args, **kwargs: None
                harness.compare_ticks = harness.compare_refused = lambda *args, **kwargs: None
        """,
    ),
)
