"""One recomputation a tick is enough."""

PART = "5"
CAUGHT_BY = ["preempt_front", "preempt_two", "preempt_chunk_needs_two"]
FILE = "scheduler.py"
CHANGES = [
    (
        "            self.compute(sequence, num_tokens)\n            budget -= num_tokens",
        "            self.compute(sequence, num_tokens)\n            budget -= num_tokens\n            if sequence.output_token_ids:\n                break",
    ),
]
