"""Allocate is told how many tokens are computed in this tick, not how many there are then in all."""

PART = "3"
CAUGHT_BY = ["blocks_taken_as_needed"]
FILE = "scheduler.py"
CHANGES = [
    (
        "self.allocator.allocate(sequence.request.request_id, sequence.num_computed_tokens + num_tokens)",
        "self.allocator.allocate(sequence.request.request_id, num_tokens)",
    ),
]
