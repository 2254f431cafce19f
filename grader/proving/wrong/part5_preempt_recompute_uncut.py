"""Chunks are for new prompts; a recomputation is done in one tick."""

PART = "5"
CAUGHT_BY = ["preempt_recompute_chunks", "preempt_in_recompute"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
num_tokens = min(sequence.num_uncomputed_tokens, chunk_size)
""",
        """\
num_tokens = sequence.num_uncomputed_tokens
            if not sequence.output_token_ids:
                num_tokens = min(num_tokens, chunk_size)
""",
    ),
]
