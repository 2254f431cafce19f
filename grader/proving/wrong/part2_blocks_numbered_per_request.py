"""A request's blocks are 0, 1, 2, ..."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="2",
    caught_by=("blocks_have_one_owner", "random_operations"),
    file="kv_allocator.py",
    changes=(
        (
            """\
        new_blocks = [self.free_blocks.pop() for _ in range(num_new_blocks)]
""",
            """\
        num_held = len(self.block_tables.get(request_id, ()))
        del self.free_blocks[: num_new_blocks]
        new_blocks = list(range(num_held, num_held + num_new_blocks))
""",
        ),
    ),
)
