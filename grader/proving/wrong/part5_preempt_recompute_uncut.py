"""Chunks are for new prompts; a recomputation is done in one tick."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="5",
    caught_by=("preempt_recompute_chunks", "preempt_in_recompute"),
    file="scheduler.py",
    changes=(
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
    ),
)
