"""A slot that is empty can be filled, in a static batch too."""

PART = "1"
CAUGHT_BY = ["static_slot_stays_empty", "static_arrivals_wait", "static_abort_slot_stays_empty"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
        if not self.running:
            self.form_batch()
""",
        """\
        self.form_batch()
""",
    ),
]
