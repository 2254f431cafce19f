"""Requests taken from the front until the aborted one comes can be put back at the end."""

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
            while (first := next(iter(self.waiting))) != request_id:
                self.waiting.move_to_end(first)
            self.waiting.pop(request_id)
""",
        ),
    ),
)
