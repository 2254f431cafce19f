"""Only a running sequence holds anything that an abort could give back."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="1",
    caught_by=("abort_waiting",),
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
""",
        ),
    ),
)
