"""Two bytes are enough for a block id."""

PART = "2"
CAUGHT_BY = ["large_pool"]
FILE = "kv_allocator.py"
CHANGES = [
    (
        """\
from batching_lab import OutOfBlocks
""",
        """\
from array import array
from batching_lab import OutOfBlocks
""",
    ),
    (
        "        self.free_blocks = list(range(num_blocks - 1, -1, -1))",
        '        self.free_blocks = array("H", range(num_blocks - 1, -1, -1))',
    ),
]
