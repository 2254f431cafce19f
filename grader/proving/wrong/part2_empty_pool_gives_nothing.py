"""When no block is free, allocate must fail."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="2",
    caught_by=("room_in_the_last_block", "fewer_tokens_add_nothing"),
    file="kv_allocator.py",
    changes=(
        (
            """\
        if num_new_blocks > self.num_free_blocks:
""",
            """\
        if num_new_blocks > self.num_free_blocks or not self.free_blocks:
""",
        ),
    ),
)
