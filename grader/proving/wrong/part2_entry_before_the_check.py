"""The request needs a table before it can be given blocks."""

PART = "2"
CAUGHT_BY = ["all_or_nothing"]
FILE = "kv_allocator.py"
CHANGES = [
    (
        """\
        num_new_blocks = self.blocks_needed(request_id, num_tokens)
""",
        """\
        num_new_blocks = self.blocks_needed(request_id, num_tokens)
        self.block_tables.setdefault(request_id, [])
""",
    ),
]
