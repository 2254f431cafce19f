"""N tokens fill n // block_size blocks, and one more for the rest."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="2",
    caught_by=("tokens_fill_whole_blocks", "growth_by_the_difference", "exactly_the_last_block"),
    file="kv_allocator.py",
    changes=(
        (
            """\
        num_blocks_wanted = -(-num_tokens // self.block_size)
""",
            """\
        num_blocks_wanted = num_tokens // self.block_size + 1
""",
        ),
    ),
)
