"""The next block id is the number of blocks that are held."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="2",
    caught_by=("random_operations",),
    file="kv_allocator.py",
    changes=(
        (
            """\
        new_blocks = [self.free_blocks.pop() for _ in range(num_new_blocks)]
""",
            """\
        num_held = self.num_blocks - len(self.free_blocks)
        new_blocks = list(range(num_held, num_held + num_new_blocks))
        del self.free_blocks[: num_new_blocks]
""",
        ),
    ),
)
