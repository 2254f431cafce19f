"""A running sequence needs blocks when c is a multiple of block_size."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="4",
    caught_by=("chunk_blocks_grow", "chunk_mixed"),
    file="scheduler.py",
    changes=(
        (
            "            if num_tokens > room_in_last_block and not self.grow",
            "            if room_in_last_block == 0 and not self.grow",
        ),
    ),
)
