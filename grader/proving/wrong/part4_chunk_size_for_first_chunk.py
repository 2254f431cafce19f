"""Prefill_chunk_size cuts a prompt at admission; afterwards it runs as far as the budget goes."""

PART = "4"
CAUGHT_BY = ["chunk_size_per_sequence", "chunk_several", "chunk_blocks_grow"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
num_tokens = min(num_tokens, budget, chunk_size)
""",
        """\
num_tokens = min(num_tokens, budget)
""",
    ),
]
