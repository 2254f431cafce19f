"""The token that a tick samples needs its KV slot in that same tick."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="3",
    caught_by=("blocks_taken_as_needed", "blocks_last_token_needs_none"),
    file="scheduler.py",
    changes=(
        (
            "self.allocator.allocate(request_id, sequence.num_computed_tokens + num_tokens)",
            "self.allocator.allocate(request_id, sequence.num_computed_tokens + num_tokens + 1)",
        ),
        (
            "            if num_tokens > room_in_last_block and",
            "            if num_tokens + 1 > room_in_last_block and",
        ),
        (
            "self.allocator.allocate(sequence.request.request_id, sequence.num_computed_tokens + num_tokens)",
            "self.allocator.allocate(sequence.request.request_id, sequence.num_computed_tokens + num_tokens + 1)",
        ),
    ),
)
