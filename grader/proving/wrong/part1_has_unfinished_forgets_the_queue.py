"""Nothing is unfinished when nothing is running."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="1",
    caught_by=("static_slot_stays_empty", "static_partial_batch", "static_arrivals_wait"),
    file="scheduler.py",
    changes=(
        (
            "return bool(self.waiting or self.running)",
            "return bool(self.running)",
        ),
    ),
)
