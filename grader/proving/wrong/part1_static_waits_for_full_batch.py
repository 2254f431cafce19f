"""A static batch starts when max_num_seqs requests have come together."""

PART = "1"
CAUGHT_BY = ["static_partial_batch"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
        if not self.running:
            self.form_batch()
""",
        """\
        if not self.running and len(self.waiting) >= self.config.max_num_seqs:
            self.form_batch()
""",
    ),
]
