"""Abort gives the blocks back; the sum of worst cases is update's business."""

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
            sequence = self.stop(request_id)
            self.reserved_blocks += self.worst_case_blocks(sequence.request)
        else:
""",
    ),
]
