"""The newest block is used next, so it stands at the front of the table."""

PART = "6-cpu"
CAUGHT_BY = ["model_static_batches", "model_whole_prompts", "model_chunks", "model_block_sizes", "model_stories"]
FILE = "kv_allocator.py"
CHANGES = [
    (
        """\
        self.block_tables.setdefault(request_id, []).extend(new_blocks)
""",
        """\
        self.block_tables[request_id] = new_blocks + self.block_tables.get(request_id, [])
""",
    ),
]
