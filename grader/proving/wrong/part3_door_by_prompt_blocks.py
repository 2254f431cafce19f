"""A request is too long for the pool when its prompt is."""

PART = "3"
CAUGHT_BY = ["door_kv_worst_case", "door_static"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
        if self.allocator is not None and self.worst_case_blocks(request) > self.allocator.num_blocks:
""",
        """\
        if self.allocator is not None and (
            -(-len(request.prompt_token_ids) // self.allocator.block_size) > self.allocator.num_blocks
        ):
""",
    ),
]
