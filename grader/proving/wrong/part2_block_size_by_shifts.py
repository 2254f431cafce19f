"""A block size is a power of two, so tokens are shifted instead of divided."""

PART = "2"
CAUGHT_BY = ["tokens_fill_whole_blocks"]
FILE = "kv_allocator.py"
CHANGES = [
    (
        "        self.block_size = block_size\n",
        "        self.block_size = block_size\n        self.shift = (block_size - 1).bit_length()\n",
    ),
    (
        "-(-num_tokens // self.block_size)",
        "-(-num_tokens >> self.shift)",
    ),
]
