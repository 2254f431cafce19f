"""More memory than there may be, while the file is imported."""

from grader.attacks.bases import right_scheduler

MECHANISM = "memory"
WHERE = "import"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "succeeded"
FILES = right_scheduler(
    top="""
        data = [bytearray(1 << 30) for _ in range(2)]
        print('SUCCEEDED', flush=True)
    """,
)
