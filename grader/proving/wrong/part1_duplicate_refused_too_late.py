"""The queue can tell that an id came twice after the request was put there."""

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
        is_here = request.request_id in self.waiting or request.request_id in self.running
        self.waiting[request.request_id] = Sequence(request)
        if is_here:
""",
        ),
    ),
)
