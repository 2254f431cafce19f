"""Abort takes the sequence out of the list; its blocks come back by themselves."""

PART = "3"
CAUGHT_BY = ["abort_running_gives_blocks_back"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
            self.stop(request_id)
        else:
""",
        """\
            sequence = self.running.pop(request_id)
            self.reserved_blocks -= self.worst_case_blocks(sequence.request)
        else:
""",
    ),
]
