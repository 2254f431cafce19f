"""The queue gives up its first."""

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
        elif request_id in self.waiting:
            self.waiting.popitem(last=False)
""",
        ),
    ),
)
