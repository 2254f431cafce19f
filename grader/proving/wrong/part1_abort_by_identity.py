"""`is` tells whether two request ids are the same."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="1",
    caught_by=("abort_running",),
    file="scheduler.py",
    changes=(
        (
            "        if request_id in self.running:\n            self.stop(request_id)",
            "        if any(i is request_id for i in self.running):\n            self.stop(request_id)",
        ),
    ),
)
