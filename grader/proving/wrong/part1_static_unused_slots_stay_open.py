"""Only the slots of finished sequences stay empty; who comes late may take a slot that was never used."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="1",
    caught_by=("static_arrivals_wait",),
    file="scheduler.py",
    changes=(
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
    ),
)
