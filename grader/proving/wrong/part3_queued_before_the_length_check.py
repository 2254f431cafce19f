"""The request is put into the queue, then its length is looked at."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="3",
    caught_by=("door_refused_leaves_nothing", "door_kv_worst_case"),
    file="scheduler.py",
    changes=(
        (
            """\
        self.refuse_too_long(request)
        self.waiting[request.request_id] = Sequence(request)
""",
            """\
        self.waiting[request.request_id] = Sequence(request)
        self.refuse_too_long(request)
""",
        ),
    ),
)
