"""The mean latency is lowest when the request with the smallest max_tokens comes first."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="1",
    caught_by=("continuous_slot_is_refilled", "continuous_fills_all_free_slots", "continuous_order_of_admission"),
    file="scheduler.py",
    changes=(
        (
            "            sequence = next(iter(self.waiting.values()))\n            num_tokens",
            "            sequence = min(self.waiting.values(), key=lambda s: s.request.max_tokens)\n            num_tokens",
        ),
    ),
)
