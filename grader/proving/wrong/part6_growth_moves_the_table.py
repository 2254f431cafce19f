"""A table that grows moves to new blocks, as a list in memory does."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="6-cpu",
    caught_by=("model_static_batches", "model_whole_prompts", "model_chunks", "model_stories"),
    file="kv_allocator.py",
    changes=(
        (
            """\
        self.block_tables.setdefault(request_id, []).extend(new_blocks)
""",
            """\
        old_blocks = self.block_tables.get(request_id, [])
        if num_new_blocks and len(old_blocks) <= len(self.free_blocks):
            moved = [self.free_blocks.pop() for _ in old_blocks]
            self.free_blocks.extend(old_blocks)
            old_blocks = moved
        self.block_tables[request_id] = old_blocks + new_blocks
""",
        ),
    ),
)
