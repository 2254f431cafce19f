"""Can_allocate compares the blocks of num_tokens with the free ones."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="2",
    caught_by=("growth_by_the_difference", "room_in_the_last_block", "exactly_the_last_block"),
    file="kv_allocator.py",
    changes=(
        (
            """\
        return self.blocks_needed(request_id, num_tokens) <= self.num_free_blocks
""",
            """\
        return self.blocks_needed('', num_tokens) <= self.num_free_blocks
""",
        ),
    ),
)
