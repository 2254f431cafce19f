"""The running list as it was at the start of the boundary can be walked to its end."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="5",
    caught_by=("preempt_last_admitted", "preempt_two", "preempt_chunk_needs_two"),
    file="scheduler.py",
    changes=(
        (
            """\
            if budget == 0 or (preempted and request_id not in self.running):
""",
            """\
            if budget == 0:
""",
        ),
    ),
)
