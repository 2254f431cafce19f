"""A table says which blocks a request holds; sorted it is easier to read."""

PART = "6-cpu"
CAUGHT_BY = ["model_static_batches", "model_whole_prompts", "model_chunks", "model_stories"]
FILE = "kv_allocator.py"
CHANGES = [
    (
        """\
        return list(self.block_tables.get(request_id, ()))
""",
        """\
        return sorted(self.block_tables.get(request_id, ()))
""",
    ),
]
