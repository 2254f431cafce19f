"""The victim is the sequence that has run longest."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="5",
    caught_by=("preempt_last_admitted", "preempt_self", "preempt_two"),
    file="scheduler.py",
    changes=(
        (
            """\
        request_id = next(reversed(self.running))
""",
            """\
        request_id = next(iter(self.running))
""",
        ),
    ),
)
