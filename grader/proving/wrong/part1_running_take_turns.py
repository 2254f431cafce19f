"""It is fair when the sequence that was first in this tick is the last in the next one."""

PART = "1"
CAUGHT_BY = ["continuous_slot_is_refilled", "continuous_fills_all_free_slots", "continuous_order_of_admission"]
FILE = "scheduler.py"
CHANGES = [
    (
        "        for request_id, sequence in list(self.running.items()):",
        "        if self.running:\n            k = next(iter(self.running))\n            self.running[k] = self.running.pop(k)\n        for request_id, sequence in list(self.running.items()):",
    ),
]
