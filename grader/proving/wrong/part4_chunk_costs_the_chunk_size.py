"""A chunk costs prefill_chunk_size tokens of the budget."""

PART = "4"
CAUGHT_BY = ["chunk_mixed"]
FILE = "scheduler.py"
CHANGES = [
    (
        "            self.compute(sequence, num_tokens)\n            budget -= num_tokens",
        "            self.compute(sequence, num_tokens)\n            budget -= chunk_size if chunk_size < sys.maxsize else num_tokens\n            budget = max(budget, 0)",
    ),
]
