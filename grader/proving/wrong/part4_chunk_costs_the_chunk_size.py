"""A chunk costs prefill_chunk_size tokens of the budget."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="4",
    caught_by=("chunk_mixed",),
    file="scheduler.py",
    changes=(
        (
            "            self.compute(sequence, num_tokens)\n            budget -= num_tokens",
            "            self.compute(sequence, num_tokens)\n            budget -= chunk_size if chunk_size < sys.maxsize else num_tokens\n            budget = max(budget, 0)",
        ),
    ),
)
