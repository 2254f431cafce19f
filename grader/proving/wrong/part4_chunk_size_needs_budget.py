"""Without a token budget there is nothing to cut."""

PART = "4"
CAUGHT_BY = ["chunk_size_per_sequence"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
        return (self.config.enable_chunked_prefill and self.config.prefill_chunk_size) or sys.maxsize
""",
        """\
        if self.config.max_num_batched_tokens is None:
            return sys.maxsize
        return (self.config.enable_chunked_prefill and self.config.prefill_chunk_size) or sys.maxsize
""",
    ),
]
