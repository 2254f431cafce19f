"""When no block is free, allocate must fail."""

PART = "2"
CAUGHT_BY = ["room_in_the_last_block", "fewer_tokens_add_nothing"]
FILE = "kv_allocator.py"
CHANGES = [
    (
        """\
        if num_new_blocks > self.num_free_blocks:
""",
        """\
        if num_new_blocks > self.num_free_blocks or not self.free_blocks:
""",
    ),
]
