"""The serving loop and its account are replaced by ones that find everything right."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import wrong_scheduler

ATTACK = Attack(
    mechanism="patching the lab's library",
    where="constructor",
    part="1",
    deserved=(),
    control="forged",
    files=wrong_scheduler(
        top="""
            import sys
            import batching_lab.checks, batching_lab.harness, batching_lab.ledger, batching_lab.loop
        """,
        constructor="""
            batching_lab.harness.compare_ticks = batching_lab.harness.compare_refused = lambda *args: None
            for name in ("boundary", "schedule", "update", "_broken"):
                setattr(batching_lab.checks.Checks, name, lambda self, *args, **seen: args and args[0])
            class Over(dict):
                def __bool__(self): return False
            batching_lab.ledger.Ledger.sequences = property(lambda self: {}, lambda self, value: None)
        """,
    ),
)
