"""Where chunked prefill is on, static batching computes prompts in chunks, too."""

PART = "3"
CAUGHT_BY = ["static_ignores_other_limits"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
            self.compute(sequence, sequence.num_uncomputed_tokens)
""",
        """\
            chunk_size = (self.config.enable_chunked_prefill and self.config.prefill_chunk_size) or sys.maxsize
            self.compute(sequence, min(sequence.num_uncomputed_tokens, chunk_size))
""",
    ),
]
