"""Only the slots of finished sequences stay empty; who comes late may take a slot that was never used."""

PART = "1"
CAUGHT_BY = ["static_arrivals_wait"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
        if not self.running:
            self.form_batch()
""",
        """\
        if not self.running:
            self.num_started = 0
        self.form_batch()
""",
    ),
    (
        """\
while self.waiting and len(self.running) < self.config.max_num_seqs:
""",
        """\
while self.waiting and self.num_started < self.config.max_num_seqs:
""",
    ),
    (
        """\
                break
            self.start(sequence)
        # END SOLUTION
""",
        """\
                break
            self.start(sequence)
            self.num_started += 1
""",
    ),
]
