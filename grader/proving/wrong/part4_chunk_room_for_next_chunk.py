"""A chunk takes also the block in which the next chunk will begin."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="4",
    caught_by=("chunk_block_edge",),
    file="scheduler.py",
    changes=(
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
    ),
)
