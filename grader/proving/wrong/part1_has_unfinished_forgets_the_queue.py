"""Nothing is unfinished when nothing is running."""

PART = "1"
CAUGHT_BY = ["static_slot_stays_empty", "static_partial_batch", "static_arrivals_wait"]
FILE = "scheduler.py"
CHANGES = [
    (
        "return bool(self.waiting or self.running)",
        "return bool(self.running)",
    ),
]
