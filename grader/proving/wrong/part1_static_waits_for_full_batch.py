"""A static batch starts when max_num_seqs requests have come together."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="1",
    caught_by=("static_partial_batch",),
    file="scheduler.py",
    changes=(
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
    ),
)
