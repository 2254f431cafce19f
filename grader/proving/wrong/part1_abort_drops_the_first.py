"""The queue gives up its first."""

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
        elif request_id in self.waiting:
            self.waiting.popitem(last=False)
""",
    ),
]
