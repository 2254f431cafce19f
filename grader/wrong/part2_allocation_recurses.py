"""A table is one block and the rest of the table, so allocation is recursive."""

PART = "2"
CAUGHT_BY = ["large_pool"]
FILE = "kv_allocator.py"
CHANGES = [
    (
        "        new_blocks = [self.free_blocks.pop() for _ in range(num_new_blocks)]\n",
        "        def take(n):\n            return [] if n == 0 else [self.free_blocks.pop(), *take(n - 1)]\n        new_blocks = take(num_new_blocks)\n",
    ),
]
