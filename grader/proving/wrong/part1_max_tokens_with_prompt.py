"""Max_tokens is the length of the whole sequence, prompt included."""

PART = "1"
CAUGHT_BY = ["static_slot_stays_empty", "static_partial_batch", "static_arrivals_wait"]
FILE = "scheduler.py"
CHANGES = [
    (
        "                if sequence.is_finished:\n",
        "                if sequence.num_tokens >= sequence.request.max_tokens or sequence.is_finished:\n",
    ),
]
