"""Who runs already is finished soon; an abort takes a request from the queue."""

PART = "1"
CAUGHT_BY = ["abort_running", "static_abort_slot_stays_empty"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
        if request_id in self.running:
            self.stop(request_id)
        else:
            self.waiting.pop(request_id, None)
""",
        """\
        self.waiting.pop(request_id, None)
""",
    ),
]
