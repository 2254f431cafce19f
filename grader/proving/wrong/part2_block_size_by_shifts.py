"""A block size is a power of two, so tokens are shifted instead of divided."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="2",
    caught_by=("tokens_fill_whole_blocks",),
    file="kv_allocator.py",
    changes=(
        (
            "        self.block_size = block_size\n",
            "        self.block_size = block_size\n        self.shift = (block_size - 1).bit_length()\n",
        ),
        (
            "-(-num_tokens // self.block_size)",
            "-(-num_tokens >> self.shift)",
        ),
    ),
)
