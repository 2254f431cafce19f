"""N tokens fill n // block_size blocks."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="2",
    caught_by=("tokens_fill_whole_blocks", "growth_by_the_difference", "room_in_the_last_block"),
    file="kv_allocator.py",
    changes=(
        (
            """\
        num_blocks_wanted = -(-num_tokens // self.block_size)
""",
            """\
        num_blocks_wanted = num_tokens // self.block_size
""",
        ),
    ),
)
