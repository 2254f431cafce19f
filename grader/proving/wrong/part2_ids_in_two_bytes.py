"""Two bytes are enough for a block id."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="2",
    caught_by=("large_pool",),
    file="kv_allocator.py",
    changes=(
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
    ),
)
