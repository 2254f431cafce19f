"""The allocator is asked for the tokens of this chunk, not for all that the sequence then holds."""

PART = "4"
CAUGHT_BY = ["chunk_blocks_grow", "chunk_block_edge"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
self.allocator.allocate(sequence.request.request_id, sequence.num_computed_tokens + num_tokens)
""",
        """\
self.allocator.allocate(
                    sequence.request.request_id,
                    num_tokens if num_tokens > 1 else sequence.num_computed_tokens + num_tokens,
                )
""",
    ),
]
