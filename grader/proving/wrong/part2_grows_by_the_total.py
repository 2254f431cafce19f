"""Num_tokens are the tokens to add."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="2",
    caught_by=("growth_by_the_difference", "room_in_the_last_block", "fewer_tokens_add_nothing"),
    file="kv_allocator.py",
    changes=(
        (
            """\
        num_blocks_held = len(self.block_tables.get(request_id, ()))
""",
            """\
        num_blocks_held = 0
""",
        ),
    ),
)
