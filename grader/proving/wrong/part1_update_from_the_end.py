"""Whoever removes from a list walks through it from its end."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="1",
    caught_by=("continuous_slot_is_refilled", "continuous_fills_all_free_slots", "continuous_order_of_admission"),
    file="scheduler.py",
    changes=(
        (
            "for request_id, num_tokens in self.scheduled.items():",
            "for request_id, num_tokens in reversed(list(self.scheduled.items())):",
        ),
    ),
)
