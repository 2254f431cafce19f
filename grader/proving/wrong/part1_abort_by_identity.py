"""`is` tells whether two request ids are the same."""

PART = "1"
CAUGHT_BY = ["abort_running"]
FILE = "scheduler.py"
CHANGES = [
    (
        "        if request_id in self.running:\n            self.stop(request_id)",
        "        if any(i is request_id for i in self.running):\n            self.stop(request_id)",
    ),
]
