"""The victims of a boundary are put before the queue together, in the order in which they were evicted."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="5",
    caught_by=("preempt_two", "preempt_chunk_needs_two"),
    file="scheduler.py",
    changes=(
        (
            """\
        if not preempted:
            self.admit(budget)
""",
            """\
        if not preempted:
            self.admit(budget)
        for request_id in reversed(preempted):
            self.waiting.move_to_end(request_id, last=False)
""",
        ),
    ),
)
