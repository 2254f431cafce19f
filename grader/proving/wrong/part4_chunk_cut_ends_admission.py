"""When a prompt was cut, the tick is full."""

PART = "4"
CAUGHT_BY = ["chunk_size_per_sequence", "chunk_size_and_budget", "chunk_several"]
FILE = "scheduler.py"
CHANGES = [
    (
        "            self.compute(sequence, num_tokens)\n            budget -= num_tokens",
        "            self.compute(sequence, num_tokens)\n            budget -= num_tokens\n            if num_tokens < sequence.num_uncomputed_tokens:\n                break",
    ),
]
