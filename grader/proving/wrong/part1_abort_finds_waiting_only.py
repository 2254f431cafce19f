"""Who runs already is finished soon; an abort takes a request from the queue."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="1",
    caught_by=("abort_running", "static_abort_slot_stays_empty"),
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
        self.waiting.pop(request_id, None)
""",
        ),
    ),
)
