"""More memory than there may be, while the file is imported."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "memory"
WHERE = "import"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "succeeded"
FILES = right_scheduler(
    top="""
        import mmap
        data = mmap.mmap(-1, 2 << 30)
        print('SUCCEEDED', flush=True)
    """,
)
