"""The blocks of the whole prompt are taken when its first chunk is admitted."""

PART = "4"
CAUGHT_BY = ["chunk_blocks_grow", "chunk_block_edge", "chunk_mixed"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
self.allocator.allocate(request_id, sequence.num_computed_tokens + num_tokens)
""",
        """\
self.allocator.allocate(request_id, sequence.num_tokens)
""",
    ),
]
