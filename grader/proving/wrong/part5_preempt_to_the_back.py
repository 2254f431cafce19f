"""A victim queues up again like a new request."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="5",
    caught_by=("preempt_front", "preempt_two"),
    file="scheduler.py",
    changes=(
        (
            """\
        self.waiting.move_to_end(request_id, last=False)
""",
            "",
        ),
    ),
)
