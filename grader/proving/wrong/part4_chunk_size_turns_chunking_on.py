"""Who sets prefill_chunk_size wants chunks."""

PART = "4"
CAUGHT_BY = ["chunk_size_ignored"]
FILE = "scheduler.py"
CHANGES = [
    (
        "(self.config.enable_chunked_prefill and self.config.prefill_chunk_size) or sys.maxsize",
        "self.config.prefill_chunk_size or sys.maxsize",
    ),
]
