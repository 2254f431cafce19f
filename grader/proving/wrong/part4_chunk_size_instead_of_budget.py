"""With prefill_chunk_size set, new prompts are cut to it and no longer to the budget."""

PART = "4"
CAUGHT_BY = ["chunk_size_and_budget"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
            if self.config.enable_chunked_prefill:
                num_tokens = min(num_tokens, budget)
            if num_tokens > budget or not""",
        """\
            if self.config.enable_chunked_prefill and self.config.prefill_chunk_size is None:
                num_tokens = min(num_tokens, budget)
            if (not self.config.enable_chunked_prefill and num_tokens > budget) or not""",
    ),
]
