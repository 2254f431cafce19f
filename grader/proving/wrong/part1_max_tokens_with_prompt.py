"""Max_tokens is the length of the whole sequence, prompt included."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="1",
    caught_by=("static_slot_stays_empty", "static_partial_batch", "static_arrivals_wait"),
    file="scheduler.py",
    changes=(
        (
            "                if sequence.is_finished:\n",
            "                if sequence.num_tokens >= sequence.request.max_tokens or sequence.is_finished:\n",
        ),
    ),
)
