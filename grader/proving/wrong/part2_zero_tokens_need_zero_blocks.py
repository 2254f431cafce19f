"""0 tokens need 0 blocks."""

PART = "2"
CAUGHT_BY = ["num_tokens_below_one"]
FILE = "kv_allocator.py"
CHANGES = [
    (
        """\
        if num_tokens < 1:
            raise ValueError(f"request {request_id}: num_tokens must be at least 1, not {num_tokens}")
""",
        """\
        if num_tokens < 0:
            raise ValueError(f"request {request_id}: num_tokens must be at least 1, not {num_tokens}")
""",
    ),
]
