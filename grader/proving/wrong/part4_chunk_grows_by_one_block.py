"""A running sequence takes at most one block a tick."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="4",
    caught_by=("random_chunks_with_blocks",),
    file="scheduler.py",
    changes=(
        (
            "                self.allocator.allocate(sequence.request.request_id, sequence.num_computed_tokens + num_tokens)",
            "                self.allocator.allocate(sequence.request.request_id, min(sequence.num_computed_tokens + num_tokens, sequence.num_computed_tokens + self.allocator.block_size))",
        ),
    ),
)
