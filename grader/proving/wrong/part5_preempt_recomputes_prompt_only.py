"""A recomputation is a prefill, and a prefill is the prompt."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="5",
    caught_by=("preempt_recompute", "preempt_again"),
    file="scheduler.py",
    changes=(
        (
            """\
num_tokens = min(sequence.num_uncomputed_tokens, chunk_size)
""",
            """\
num_tokens = min(sequence.num_uncomputed_tokens, chunk_size, len(sequence.request.prompt_token_ids))
""",
        ),
    ),
)
