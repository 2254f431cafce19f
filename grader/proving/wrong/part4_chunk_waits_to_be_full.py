"""A chunk has prefill_chunk_size tokens; a new prompt waits until the budget holds a full one."""

PART = "4"
CAUGHT_BY = ["chunk_size_and_budget", "chunk_mixed"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
            if self.config.enable_chunked_prefill:
                num_tokens = min(num_tokens, budget)
""",
        """\
            if self.config.enable_chunked_prefill and self.config.prefill_chunk_size is None:
                num_tokens = min(num_tokens, budget)
""",
    ),
]
