"""A request can have blocks if the pool has as many."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="2",
    caught_by=("tokens_fill_whole_blocks", "room_in_the_last_block", "exactly_the_last_block"),
    file="kv_allocator.py",
    changes=(
        (
            """\
        return self.blocks_needed(request_id, num_tokens) <= self.num_free_blocks
""",
            """\
        return self.blocks_needed(request_id, num_tokens) <= self.num_blocks
""",
        ),
    ),
)
