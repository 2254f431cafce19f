"""Abort gives the blocks back; the sum of worst cases is update's business."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="3",
    caught_by=("abort_running_gives_blocks_back",),
    file="scheduler.py",
    changes=(
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
    ),
)
