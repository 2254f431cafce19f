"""A queue of a thousand requests is long enough."""

PART = "1"
CAUGHT_BY = ["many_requests"]
FILE = "scheduler.py"
CHANGES = [
    (
        "        self.waiting[request.request_id] = Sequence(request)",
        "        self.waiting[request.request_id] = Sequence(request)\n        if len(self.waiting) > 1000:\n            self.waiting.popitem(last=False)",
    ),
]
