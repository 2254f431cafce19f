"""Every refusal at the door is a RequestTooLong."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="3",
    caught_by=("door_duplicate_looked_at_first",),
    file="scheduler.py",
    changes=(
        (
            '            raise ValueError(f"request {request.request_id} is in',
            '            raise RequestTooLong(f"request {request.request_id} is in',
        ),
    ),
)
