"""Blocks are handed out in turn, and after the last one comes block 0 again; a counter says how many are free."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="6-cpu",
    caught_by=("model_whole_prompts", "model_hang_ups", "model_block_sizes", "model_stories"),
    file="kv_allocator.py",
    changes=(
        (
            """\
        self.block_tables: dict[str, list[int]] = {}
""",
            """\
        self.block_tables: dict[str, list[int]] = {}
        self.num_free = num_blocks
        self.next_block = 0
""",
        ),
        (
            """\
        return len(self.free_blocks)
""",
            """\
        return self.num_free
""",
        ),
        (
            """\
        new_blocks = [self.free_blocks.pop() for _ in range(num_new_blocks)]
""",
            """\
        new_blocks = [(self.next_block + number) % self.num_blocks for number in range(num_new_blocks)]
        self.next_block = (self.next_block + num_new_blocks) % self.num_blocks
        self.num_free -= num_new_blocks
""",
        ),
        (
            """\
        self.free_blocks.extend(self.block_tables.pop(request_id))
""",
            """\
        self.num_free += len(self.block_tables.pop(request_id))
""",
        ),
    ),
)
