"""An id is taken while it is in the queue."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="1",
    caught_by=("duplicate_id",),
    file="scheduler.py",
    changes=(
        (
            """\
        if request.request_id in self.waiting or request.request_id in self.running:
""",
            """\
        if request.request_id in self.waiting:
""",
        ),
    ),
)
