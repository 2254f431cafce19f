"""Whoever is aborted, its worst case is taken off the sum."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="3",
    caught_by=("abort_of_one_that_holds_nothing",),
    file="scheduler.py",
    changes=(
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
    ),
)
