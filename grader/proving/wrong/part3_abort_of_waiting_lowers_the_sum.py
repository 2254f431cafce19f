"""Whoever is aborted, its worst case is taken off the sum."""

PART = "3"
CAUGHT_BY = ["abort_of_one_that_holds_nothing"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
            self.waiting.pop(request_id, None)
""",
        """\
            sequence = self.waiting.pop(request_id, None)
            if sequence is not None:
                self.reserved_blocks -= self.worst_case_blocks(sequence.request)
""",
    ),
]
