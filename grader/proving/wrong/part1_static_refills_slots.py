"""A slot that is empty can be filled, in a static batch too."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="1",
    caught_by=("static_slot_stays_empty", "static_arrivals_wait", "static_abort_slot_stays_empty"),
    file="scheduler.py",
    changes=(
        (
            """\
        if not self.running:
            self.form_batch()
""",
            """\
        self.form_batch()
""",
        ),
    ),
)
