"""A chunk is cut to the blocks that are free; only a decode preempts."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="5",
    caught_by=("preempt_chunk_needs_two",),
    file="scheduler.py",
    changes=(
        (
            """\
            room_in_last_block = -sequence.num_computed_tokens % block_size
""",
            """\
            room_in_last_block = -sequence.num_computed_tokens % block_size
            if self.allocator is not None and num_tokens > 1:
                room = room_in_last_block + self.allocator.num_free_blocks * block_size
                num_tokens = max(1, min(num_tokens, room))
""",
        ),
    ),
)
