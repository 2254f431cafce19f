"""N tokens fill n // block_size + 1 blocks."""

PART = "3"
CAUGHT_BY = ["block_sizes", "blocks_last_token_needs_none", "worst_case_pool_exactly_full", "door_kv_worst_case"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
        return -(-max_computed_tokens(request) // self.allocator.block_size)
""",
        """\
        return max_computed_tokens(request) // self.allocator.block_size + 1
""",
    ),
]
