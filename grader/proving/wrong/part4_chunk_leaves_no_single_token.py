"""A chunk leaves at least two tokens, so that the rest is no decode."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="4",
    caught_by=("chunk_cut_to_budget", "chunk_before_queue", "chunk_abort_middle"),
    file="scheduler.py",
    changes=(
        (
            "                num_tokens = min(num_tokens, budget)\n            if num_tokens > budget",
            "                num_tokens = min(num_tokens, budget)\n                if num_tokens + 1 == sequence.num_uncomputed_tokens and num_tokens > 1:\n                    num_tokens -= 1\n            if num_tokens > budget",
        ),
    ),
)
