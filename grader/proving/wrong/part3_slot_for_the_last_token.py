"""A sequence that may generate max_tokens needs room for P + max_tokens tokens."""

PART = "3"
CAUGHT_BY = ["blocks_last_token_needs_none", "door_kv_worst_case", "worst_case_pool_exactly_full"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
    return len(request.prompt_token_ids) + request.max_tokens - 1
""",
        """\
    return len(request.prompt_token_ids) + request.max_tokens
""",
    ),
]
