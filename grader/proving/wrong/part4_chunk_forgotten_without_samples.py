"""When nothing was sampled there is nothing to update."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="4",
    caught_by=("chunk_size_per_sequence", "chunk_size_and_budget", "chunk_several"),
    file="scheduler.py",
    changes=(
        (
            "        finished = []\n        for request_id, num_tokens in self",
            "        finished = []\n        if not sampled:\n            return finished\n        for request_id, num_tokens in self",
        ),
    ),
)
