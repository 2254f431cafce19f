"""A prompt is admitted when the blocks of all of it are free, in chunks or not."""

PART = "5"
CAUGHT_BY = ["preempt_admits_nobody", "preempt_in_recompute", "preempt_abort_recomputing"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
not self.can_admit(sequence.request, num_tokens):
""",
        """\
not self.can_admit(sequence.request, sequence.num_uncomputed_tokens):
""",
    ),
]
