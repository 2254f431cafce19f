"""Whoever is aborted, the allocator frees its blocks, if there are any."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="3",
    caught_by=("abort_of_one_that_holds_nothing", "door_refused_leaves_nothing"),
    file="scheduler.py",
    changes=(
        (
            """\
            self.waiting.pop(request_id, None)
""",
            """\
            self.waiting.pop(request_id, None)
            if self.allocator is not None:
                self.allocator.free(request_id)
""",
        ),
    ),
)
