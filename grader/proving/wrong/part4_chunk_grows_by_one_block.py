"""A running sequence takes at most one block a tick."""

PART = "4"
CAUGHT_BY = ["random_chunks_with_blocks"]
FILE = "scheduler.py"
CHANGES = [
    (
        "                self.allocator.allocate(sequence.request.request_id, sequence.num_computed_tokens + num_tokens)",
        "                self.allocator.allocate(sequence.request.request_id, min(sequence.num_computed_tokens + num_tokens, sequence.num_computed_tokens + self.allocator.block_size))",
    ),
]
