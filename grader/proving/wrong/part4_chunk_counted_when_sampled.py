"""Update() goes through the sampled tokens."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="4",
    caught_by=("chunk_cut_to_budget", "chunk_longer_than_budget", "chunk_size_per_sequence"),
    file="scheduler.py",
    changes=(
        (
            "for request_id, num_tokens in self.scheduled.items():",
            "for request_id, num_tokens in [x for x in self.scheduled.items() if x[0] in sampled]:",
        ),
    ),
)
