"""The grader's allocator is read from the grader's folder, to be handed in as Part 2."""

from grader.proving.attacks.bases import wrong_allocator

MECHANISM = "taking the grader's allocator"
WHERE = "import"
PART = "2"
DESERVED: tuple[str, ...] = ()
CONTROL = "forged"
NEEDS_ISOLATION = True
WINS_WITHOUT = "the grader's files lie on the same disk"
FILES = wrong_allocator()
FILES["kv_allocator.py"] += """
try:
    namespace = {"__name__": "x"}
    exec(open("@ROOT@/grader/worker/block_pool.py").read(), namespace)
    BlockAllocator = namespace["BlockPool"]
except OSError:
    pass
"""
