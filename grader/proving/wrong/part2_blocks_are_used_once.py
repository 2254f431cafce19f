"""The next block to hand out is the one after the last."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="2",
    caught_by=("freed_blocks_are_used_again", "random_operations"),
    file="kv_allocator.py",
    changes=(
        (
            """\
        self.block_tables: dict[str, list[int]] = {}
""",
            """\
        self.block_tables: dict[str, list[int]] = {}
        self.next_block = 0
""",
        ),
        (
            """\
        new_blocks = [self.free_blocks.pop() for _ in range(num_new_blocks)]
""",
            """\
        new_blocks = list(range(self.next_block, self.next_block + num_new_blocks))
        self.next_block += num_new_blocks
        del self.free_blocks[: num_new_blocks]
""",
        ),
    ),
)
