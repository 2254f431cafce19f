"""At most four prefills a tick keep the tick short."""

PART = "1"
CAUGHT_BY = ["many_requests"]
FILE = "scheduler.py"
CHANGES = [
    (
        "            self.compute(sequence, num_tokens)\n            budget -= num_tokens",
        "            self.compute(sequence, num_tokens)\n            budget -= num_tokens\n            if sum(1 for i in self.scheduled if not self.running[i].num_computed_tokens) == 4:\n                break",
    ),
]
