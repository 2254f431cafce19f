"""An abort of an id that is not there is a mistake of the caller."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="1",
    caught_by=("abort_of_nobody",),
    file="scheduler.py",
    changes=(
        (
            """\
        if request_id in self.running:
            self.stop(request_id)
        else:
            self.waiting.pop(request_id, None)
""",
            """\
        if request_id in self.running:
            self.stop(request_id)
        else:
            self.waiting.pop(request_id)
""",
        ),
    ),
)
