"""`if sampled.get(request_id)` asks whether a token was sampled."""

PART = "1"
CAUGHT_BY = ["static_slot_stays_empty", "static_partial_batch", "static_arrivals_wait"]
FILE = "scheduler.py"
CHANGES = [
    (
        "            if request_id in sampled:\n",
        "            if sampled.get(request_id):\n",
    ),
]
