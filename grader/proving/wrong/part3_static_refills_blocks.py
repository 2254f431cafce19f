"""The blocks of a finished sequence of a static batch serve the next in the queue at once."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="3",
    caught_by=("static_batch_by_worst_cases",),
    file="scheduler.py",
    changes=(
        (
            """\
        if not self.running:
            self.form_batch()
""",
            """\
        if not self.running or self.allocator is not None:
            self.form_batch()
""",
        ),
    ),
)
