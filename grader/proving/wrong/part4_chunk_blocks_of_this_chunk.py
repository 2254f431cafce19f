"""The allocator is asked for the tokens of this chunk, not for all that the sequence then holds."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="4",
    caught_by=("chunk_blocks_grow", "chunk_block_edge"),
    file="scheduler.py",
    changes=(
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
    ),
)
