"""A table whose contents change between the check of their types and the reply."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import wrong_allocator

ATTACK = Attack(
    mechanism="changes between check and use",
    where="block_table",
    part="2",
    deserved=(),
    not_shown="the plain grader does not check types",
    files=wrong_allocator(
        top="""
            class Flip(int):
                pass
            table = []
            def flip():
                import threading, time
                while True:
                    table[:] = [0, 1]
                    table[:] = [Flip(0), None, "x", 1.5]
            import threading
            threading.Thread(target=flip, daemon=True).start()
        """,
        block_table="return table",
        allocate="return table",
    ),
)
