"""A running sequence costs one token of the budget."""

PART = "4"
CAUGHT_BY = ["chunk_mixed"]
FILE = "scheduler.py"
CHANGES = [
    (
        "            self.scheduled[request_id] = num_tokens\n            budget -= num_tokens\n",
        "            self.scheduled[request_id] = num_tokens\n            budget -= 1\n",
    ),
]
