"""Only a running sequence holds anything that an abort could give back."""

PART = "1"
CAUGHT_BY = ["abort_waiting"]
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
        if request_id in self.running:
            self.stop(request_id)
""",
    ),
]
