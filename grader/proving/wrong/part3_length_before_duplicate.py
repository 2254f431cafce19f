"""The order of the two checks at the door does not matter."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="3",
    caught_by=("door_duplicate_looked_at_first",),
    file="scheduler.py",
    changes=(
        (
            """\
        if request.request_id in self.waiting or request.request_id in self.running:
""",
            """\
        self.refuse_too_long(request)
        if request.request_id in self.waiting or request.request_id in self.running:
""",
        ),
        (
            """\
        self.refuse_too_long(request)
        self.waiting[request.request_id] = Sequence(request)
""",
            """\
        self.waiting[request.request_id] = Sequence(request)
""",
        ),
    ),
)
