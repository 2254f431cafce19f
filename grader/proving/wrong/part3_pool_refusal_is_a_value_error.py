"""RequestTooLong is a ValueError, so a ValueError will do."""

PART = "3"
CAUGHT_BY = ["door_kv_worst_case", "door_static", "door_duplicate_looked_at_first"]
FILE = "scheduler.py"
CHANGES = [
    (
        '            raise RequestTooLong(\n                f"request {request.request_id} may need',
        '            raise ValueError(\n                f"request {request.request_id} may need',
    ),
]
