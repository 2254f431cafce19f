"""A recomputation is a prefill, and a prefill is the prompt."""

PART = "5"
CAUGHT_BY = ["preempt_recompute", "preempt_again"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
num_tokens = min(sequence.num_uncomputed_tokens, chunk_size)
""",
        """\
num_tokens = min(sequence.num_uncomputed_tokens, chunk_size, len(sequence.request.prompt_token_ids))
""",
    ),
]
