"""Chunks are for prompts that are longer than the whole budget; a shorter one waits until it fits."""

PART = "4"
CAUGHT_BY = ["chunk_cut_to_budget", "chunk_before_queue"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
            if self.config.enable_chunked_prefill:
                num_tokens = min(num_tokens, budget)
""",
        """\
            if sequence.num_tokens > (self.config.max_num_batched_tokens or sys.maxsize):
                num_tokens = min(num_tokens, budget)
""",
    ),
]
