"""Update() goes through the sampled tokens."""

PART = "4"
CAUGHT_BY = ["chunk_cut_to_budget", "chunk_longer_than_budget", "chunk_size_per_sequence"]
FILE = "scheduler.py"
CHANGES = [
    (
        "for request_id, num_tokens in self.scheduled.items():",
        "for request_id, num_tokens in [x for x in self.scheduled.items() if x[0] in sampled]:",
    ),
]
