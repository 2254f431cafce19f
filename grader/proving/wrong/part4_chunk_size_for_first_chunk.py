"""Prefill_chunk_size cuts a prompt at admission; afterwards it runs as far as the budget goes."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="4",
    caught_by=("chunk_size_per_sequence", "chunk_several", "chunk_blocks_grow"),
    file="scheduler.py",
    changes=(
        (
            """\
num_tokens = min(num_tokens, budget, chunk_size)
""",
            """\
num_tokens = min(num_tokens, budget)
""",
        ),
    ),
)
