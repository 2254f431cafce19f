"""A running prefill is cut to max_num_batched_tokens, not to what the sequences before it have left."""

PART = "4"
CAUGHT_BY = ["chunk_longer_than_budget"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
num_tokens = min(num_tokens, budget, chunk_size)
""",
        """\
num_tokens = min(num_tokens, self.config.max_num_batched_tokens or sys.maxsize, chunk_size)
""",
    ),
]
