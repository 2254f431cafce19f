"""An abort of an id that is not there is a mistake of the caller."""

PART = "1"
CAUGHT_BY = ["abort_of_nobody"]
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
        else:
            self.waiting.pop(request_id)
""",
    ),
]
