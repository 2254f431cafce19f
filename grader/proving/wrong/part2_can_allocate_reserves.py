"""Who asks whether blocks can be had will take them."""

PART = "2"
CAUGHT_BY = ["questions_change_nothing"]
FILE = "kv_allocator.py"
CHANGES = [
    (
        """\
        return self.blocks_needed(request_id, num_tokens) <= self.num_free_blocks
""",
        """\
        try:
            self.allocate(request_id, num_tokens)
        except OutOfBlocks:
            return False
        return True
""",
    ),
]
