"""A table with an element whose comparison never ends."""

from grader.proving.attacks.bases import right_allocator

MECHANISM = "endless loops"
WHERE = "__eq__"
PART = "2"
DESERVED: tuple[str, ...] = ()
CONTROL = "hung"
FILES = right_allocator(
    top="""
        class Slow(int):
            def __eq__(self, other):
                while True: pass
            __hash__ = int.__hash__
    """,
    block_table="return [Slow(0), Slow(1), Slow(2)][: len(super().block_table(request_id))]",
)
