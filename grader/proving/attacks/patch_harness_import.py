"""The harness's comparisons do nothing."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import wrong_scheduler

ATTACK = Attack(
    mechanism="patching the lab's library",
    where="import",
    part="1",
    deserved=(),
    control="forged",
    files=wrong_scheduler(
        top="""
            import sys
            import batching_lab.harness as harness
            harness.require = lambda *args, **kwargs: None
            harness.Harness.expect = harness.Harness.compare = lambda *args, **kwargs: None
            for module in list(sys.modules.values()):
                if hasattr(module, "require"):
                    module.require = harness.require
        """,
    ),
)
