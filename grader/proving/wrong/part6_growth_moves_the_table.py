"""A table that grows moves to new blocks, as a list in memory does."""

PART = "6-cpu"
CAUGHT_BY = ["model_static_batches", "model_whole_prompts", "model_chunks", "model_stories"]
FILE = "kv_allocator.py"
CHANGES = [
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
]
