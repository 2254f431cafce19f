"""It is fair when the sequence that was first in this tick is the last in the next one."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="1",
    caught_by=("continuous_slot_is_refilled", "continuous_fills_all_free_slots", "continuous_order_of_admission"),
    file="scheduler.py",
    changes=(
        (
            "        for sequence in list(self.running.values()):",
            "        if self.running:\n            k = next(iter(self.running))\n            self.running[k] = self.running.pop(k)\n        for sequence in list(self.running.values()):",
        ),
    ),
)
