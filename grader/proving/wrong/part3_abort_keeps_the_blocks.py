"""Abort takes the sequence out of the list; its blocks come back by themselves."""

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
            sequence = self.running.pop(request_id)
            self.reserved_blocks -= self.worst_case_blocks(sequence.request)
        else:
""",
        ),
    ),
)
