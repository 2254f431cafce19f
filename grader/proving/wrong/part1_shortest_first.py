"""The mean latency is lowest when the request with the smallest max_tokens comes first."""

PART = "1"
CAUGHT_BY = ["continuous_slot_is_refilled", "continuous_fills_all_free_slots", "continuous_order_of_admission"]
FILE = "scheduler.py"
CHANGES = [
    (
        "            sequence = next(iter(self.waiting.values()))\n            num_tokens",
        "            sequence = min(self.waiting.values(), key=lambda s: s.request.max_tokens)\n            num_tokens",
    ),
]
