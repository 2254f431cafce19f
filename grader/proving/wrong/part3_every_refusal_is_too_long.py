"""Every refusal at the door is a RequestTooLong."""

PART = "3"
CAUGHT_BY = ["door_duplicate_looked_at_first"]
FILE = "scheduler.py"
CHANGES = [
    (
        '            raise ValueError(f"request {request.request_id} is in',
        '            raise RequestTooLong(f"request {request.request_id} is in',
    ),
]
