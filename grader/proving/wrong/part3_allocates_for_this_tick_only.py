"""Allocate is told how many tokens are computed in this tick, not how many there are then in all."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="3",
    caught_by=("blocks_taken_as_needed",),
    file="scheduler.py",
    changes=(
        (
            "self.allocator.allocate(sequence.request.request_id, sequence.num_computed_tokens + num_tokens)",
            "self.allocator.allocate(sequence.request.request_id, num_tokens)",
        ),
    ),
)
