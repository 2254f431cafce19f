"""A request that comes back gets the blocks that it had, since its keys and values are still in them."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="6-cpu",
    caught_by=("model_preemption", "model_recomputed_chunks", "model_hang_ups", "model_block_sizes", "model_stories"),
    file="kv_allocator.py",
    changes=(
        (
            """\
        self.block_tables: dict[str, list[int]] = {}
""",
            """\
        self.block_tables: dict[str, list[int]] = {}
        self.old_tables: dict[str, list[int]] = {}
""",
        ),
        (
            """\
        new_blocks = [self.free_blocks.pop() for _ in range(num_new_blocks)]
""",
            """\
        if request_id not in self.block_tables and request_id in self.old_tables:
            old_blocks = self.old_tables.pop(request_id)
            self.block_tables[request_id] = old_blocks[:num_new_blocks]
            self.free_blocks = [block for block in self.free_blocks if block not in old_blocks[:num_new_blocks]]
            num_new_blocks = max(0, num_new_blocks - len(old_blocks))
        new_blocks = [self.free_blocks.pop() for _ in range(num_new_blocks)]
""",
        ),
        (
            """\
        self.free_blocks.extend(self.block_tables.pop(request_id))
""",
            """\
        self.old_tables[request_id] = self.block_tables[request_id]
        self.free_blocks.extend(self.block_tables.pop(request_id))
""",
        ),
    ),
)
