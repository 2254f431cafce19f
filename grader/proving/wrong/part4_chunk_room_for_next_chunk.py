"""A chunk takes also the block in which the next chunk will begin."""

PART = "4"
CAUGHT_BY = ["chunk_block_edge"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
self.allocator.allocate(request_id, sequence.num_computed_tokens + num_tokens)
""",
        """\
self.allocator.allocate(
                request_id, min(sequence.num_computed_tokens + num_tokens + 1, sequence.num_tokens)
            )
""",
    ),
    (
        """\
self.allocator.allocate(sequence.request.request_id, sequence.num_computed_tokens + num_tokens)
""",
        """\
self.allocator.allocate(
                    sequence.request.request_id,
                    min(sequence.num_computed_tokens + num_tokens + 1, sequence.num_tokens),
                )
""",
    ),
]
