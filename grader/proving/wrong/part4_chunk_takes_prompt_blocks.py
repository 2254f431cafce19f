"""The blocks of the whole prompt are taken when its first chunk is admitted."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="4",
    caught_by=("chunk_blocks_grow", "chunk_block_edge", "chunk_mixed"),
    file="scheduler.py",
    changes=(
        (
            """\
self.allocator.allocate(request_id, sequence.num_computed_tokens + num_tokens)
""",
            """\
self.allocator.allocate(request_id, sequence.num_tokens)
""",
        ),
    ),
)
