"""Without prefill_chunk_size a chunk has 512 tokens."""

PART = "4"
CAUGHT_BY = ["chunk_no_limits"]
FILE = "scheduler.py"
CHANGES = [
    (
        "        return (self.config.enable_chunked_prefill and self.config.prefill_chunk_size) or sys.maxsize",
        "        return (self.config.prefill_chunk_size or 512) if self.config.enable_chunked_prefill else sys.maxsize",
    ),
]
