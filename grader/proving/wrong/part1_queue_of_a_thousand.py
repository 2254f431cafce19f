"""A queue of a thousand requests is long enough."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="1",
    caught_by=("many_requests",),
    file="scheduler.py",
    changes=(
        (
            "        self.waiting[request.request_id] = Sequence(request)",
            "        self.waiting[request.request_id] = Sequence(request)\n        if len(self.waiting) > 1000:\n            self.waiting.popitem(last=False)",
        ),
    ),
)
