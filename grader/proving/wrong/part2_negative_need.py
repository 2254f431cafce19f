"""The blocks to add are those wanted minus those held."""

PART = "2"
CAUGHT_BY = ["fewer_tokens_add_nothing"]
FILE = "kv_allocator.py"
CHANGES = [
    (
        """\
        return max(0, num_blocks_wanted - num_blocks_held)
""",
        """\
        return num_blocks_wanted - num_blocks_held
""",
    ),
]
