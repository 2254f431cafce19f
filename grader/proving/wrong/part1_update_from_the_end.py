"""Whoever removes from a list walks through it from its end."""

PART = "1"
CAUGHT_BY = ["continuous_slot_is_refilled", "continuous_fills_all_free_slots", "continuous_order_of_admission"]
FILE = "scheduler.py"
CHANGES = [
    (
        "for request_id, num_tokens in self.scheduled.items():",
        "for request_id, num_tokens in reversed(list(self.scheduled.items())):",
    ),
]
