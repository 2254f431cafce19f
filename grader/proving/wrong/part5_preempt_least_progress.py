"""The victim is the sequence that loses the fewest computed tokens."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="5",
    caught_by=("preempt_last_admitted",),
    file="scheduler.py",
    changes=(
        (
            """\
        request_id = next(reversed(self.running))
""",
            """\
        request_id = min(
            reversed(self.running), key=lambda running_id: self.running[running_id].num_computed_tokens
        )
""",
        ),
    ),
)
