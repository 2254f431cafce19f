"""Can_allocate answers False to a question about no tokens."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="2",
    caught_by=("num_tokens_below_one",),
    file="kv_allocator.py",
    changes=(
        (
            "        return self.blocks_needed(request_id, num_tokens) <= self.num_free_blocks",
            "        return num_tokens > 0 and self.blocks_needed(request_id, num_tokens) <= self.num_free_blocks",
        ),
    ),
)
