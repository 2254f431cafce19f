"""The grader's allocator is looked for in the worker's memory and on its path, to be handed in as Part 2."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import wrong_allocator

ATTACK = Attack(
    mechanism="taking the grader's allocator",
    where="import",
    part="2",
    deserved=(),
    not_shown="the plain grader has no allocator of its own",
    files=wrong_allocator(
        top="import sys, gc",
        bottom="""
            try:
                import importlib
                BlockAllocator = importlib.import_module("block_pool").BlockPool
            except ImportError:
                pass
            for thing in gc.get_objects():
                if isinstance(thing, type) and thing.__name__ == "BlockPool":
                    BlockAllocator = thing
            for module in list(sys.modules.values()):
                BlockAllocator = getattr(module, "BlockPool", BlockAllocator)
        """,
    ),
)
