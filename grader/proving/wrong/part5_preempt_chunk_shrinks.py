"""A chunk is cut to the blocks that are free; only a decode preempts."""

PART = "5"
CAUGHT_BY = ["preempt_chunk_needs_two"]
FILE = "scheduler.py"
CHANGES = [
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
]
