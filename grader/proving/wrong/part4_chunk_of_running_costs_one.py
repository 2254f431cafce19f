"""A running sequence costs one token of the budget."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="4",
    caught_by=("chunk_mixed",),
    file="scheduler.py",
    changes=(
        (
            "            self.scheduled[request_id] = num_tokens\n            budget -= num_tokens\n",
            "            self.scheduled[request_id] = num_tokens\n            budget -= 1\n",
        ),
    ),
)
