"""The harness's comparisons do nothing."""

from grader.proving.attacks.bases import wrong_scheduler

MECHANISM = "patching the lab's library"
WHERE = "import"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "forged"
FILES = wrong_scheduler(
    top="""
        import sys
        import batching_lab.harness as harness
        harness.require = lambda *args, **kwargs: None
        harness.Harness.expect = harness.Harness.compare = lambda *args, **kwargs: None
        for module in list(sys.modules.values()):
            if hasattr(module, "require"):
                module.require = harness.require
    """,
)
