"""No block is ever taken; the worker's report is made to say that the right number is held, always the same block."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="patching the worker",
    where="update",
    part="3",
    deserved=(),
    not_shown="the plain grader has no worker",
    files=right_scheduler(
        top="""
            import sys
            main = sys.modules["__main__"]
            class Never:
                num_blocks = num_free_blocks = 10**6
                block_size = 4
                def __getattr__(self, name): return lambda *args: []
            if hasattr(main, "AttachedAllocator"):
                main.AttachedAllocator.changes = lambda self, ids: {"tables": {i: [0, [0]] for i in ids}, "free": 2}
        """,
        constructor="allocator = Never()",
    ),
)
