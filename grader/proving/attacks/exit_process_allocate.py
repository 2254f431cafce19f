"""os._exit(0) in allocate."""

from grader.proving.attacks.bases import right_allocator

MECHANISM = "ending the process with status 0"
WHERE = "allocate"
PART = "2"
DESERVED: tuple[str, ...] = ()
CONTROL = "forged"
FILES = right_allocator(
    top="import os",
    allocate="os._exit(0)",
)
