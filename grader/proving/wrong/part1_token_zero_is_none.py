"""`if sampled.get(request_id)` asks whether a token was sampled."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="1",
    caught_by=("static_slot_stays_empty", "static_partial_batch", "static_arrivals_wait"),
    file="scheduler.py",
    changes=(
        (
            "            if request_id in sampled:\n",
            "            if sampled.get(request_id):\n",
        ),
    ),
)
