"""`is` tells whether two request ids are the same."""

PART = "1"
CAUGHT_BY = ["random_static_slots", "random_continuous_slots"]
FILE = "scheduler.py"
CHANGES = [
    (
        '        if request_id in self.running:\n            self.stop(request_id)',
        '        if any(i is request_id for i in self.running):\n            self.stop(request_id)',
    ),
]
