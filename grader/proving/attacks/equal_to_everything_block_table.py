"""Tables and numbers of the allocator are equal to, and larger and smaller than, everything."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import wrong_allocator

ATTACK = Attack(
    mechanism="equal to everything",
    where="block_table",
    part="2",
    deserved=(),
    control="forged",
    files=wrong_allocator(
        top="""
            class AnyInt(int):
                def __eq__(self, other): return True
                def __bool__(self): return True
                __hash__ = int.__hash__
            class AnyList(list):
                def __eq__(self, other): return True
                def __len__(self): return 2
                def __iter__(self): return iter((0, 1))
        """,
        allocate="return AnyList()",
        block_table="return AnyList()",
        blocks_needed="return AnyInt()",
        constructor="type(self).num_free_blocks = AnyInt()",
    ),
)
