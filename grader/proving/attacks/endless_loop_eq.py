"""A table with an element whose comparison never ends."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_allocator

ATTACK = Attack(
    mechanism="endless loops",
    where="__eq__",
    part="2",
    deserved=(),
    control="hung",
    files=right_allocator(
        top="""
            class Slow(int):
                def __eq__(self, other):
                    while True: pass
                __hash__ = int.__hash__
        """,
        block_table="return [Slow(0), Slow(1), Slow(2)][: len(super().block_table(request_id))]",
    ),
)
