"""The grader's allocator is read from the grader's folder, to be handed in as Part 2."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import wrong_allocator

ATTACK = Attack(
    mechanism="taking the grader's allocator",
    where="import",
    part="2",
    deserved=(),
    control="forged",
    needs_isolation=True,
    wins_without="the grader's files lie on the same disk",
    files=wrong_allocator(
        bottom="""
            try:
                namespace = {"__name__": "x"}
                exec(open("@ROOT@/grader/worker/block_pool.py").read(), namespace)
                BlockAllocator = namespace["BlockPool"]
            except OSError:
                pass
        """,
    ),
)
