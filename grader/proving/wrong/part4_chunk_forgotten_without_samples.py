"""When nothing was sampled there is nothing to update."""

PART = "4"
CAUGHT_BY = ["chunk_size_per_sequence", "chunk_size_and_budget", "chunk_several"]
FILE = "scheduler.py"
CHANGES = [
    (
        "        finished = []\n        for request_id, num_tokens in self",
        "        finished = []\n        if not sampled:\n            return finished\n        for request_id, num_tokens in self",
    ),
]
