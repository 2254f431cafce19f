"""RequestTooLong is a ValueError, so a ValueError will do."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="3",
    caught_by=("door_kv_worst_case", "door_static", "door_duplicate_looked_at_first"),
    file="scheduler.py",
    changes=(
        (
            '            raise RequestTooLong(\n                f"request {request.request_id} may need',
            '            raise ValueError(\n                f"request {request.request_id} may need',
        ),
    ),
)
