"""A table whose contents change between the check of their types and the reply."""

from grader.proving.attacks.bases import wrong_allocator

MECHANISM = "changes between check and use"
WHERE = "block_table"
PART = "2"
DESERVED: tuple[str, ...] = ()
NOT_SHOWN = "the plain grader does not check types"
FILES = wrong_allocator(
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
)
