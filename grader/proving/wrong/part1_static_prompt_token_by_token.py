"""Every sequence computes one token a tick, its prompt included."""

PART = "1"
CAUGHT_BY = ["static_prompts"]
FILE = "scheduler.py"
CHANGES = [
    (
        "self.compute(sequence, sequence.num_uncomputed_tokens)",
        "self.compute(sequence, 1)",
    ),
]
