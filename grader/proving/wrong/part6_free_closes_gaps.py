"""Free leaves holes in the pool, so the other tables move together to its front."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="6-cpu",
    caught_by=("model_static_batches", "model_hang_ups", "model_stories"),
    file="kv_allocator.py",
    changes=(
        (
            """\
        self.free_blocks.extend(self.block_tables.pop(request_id))
""",
            """\
        del self.block_tables[request_id]
        next_block = 0
        for table in self.block_tables.values():
            table[:] = range(next_block, next_block + len(table))
            next_block += len(table)
        self.free_blocks = list(range(self.num_blocks - 1, next_block - 1, -1))
""",
        ),
    ),
)
