"""Allocate returns the request's blocks."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="2",
    caught_by=("growth_by_the_difference", "room_in_the_last_block", "fewer_tokens_add_nothing"),
    file="kv_allocator.py",
    changes=(
        (
            """\
        return new_blocks
""",
            """\
        return list(self.block_tables[request_id])
""",
        ),
    ),
)
