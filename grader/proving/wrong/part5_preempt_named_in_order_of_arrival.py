"""`preempted` lists the victims as they stand in the queue."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="5",
    caught_by=("preempt_two", "preempt_chunk_needs_two"),
    file="scheduler.py",
    changes=(
        (
            """\
Schedule(self.scheduled, tuple(preempted))
""",
            """\
Schedule(self.scheduled, tuple(reversed(preempted)))
""",
        ),
    ),
)
