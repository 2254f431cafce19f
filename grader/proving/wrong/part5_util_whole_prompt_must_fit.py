"""A prompt is admitted when the blocks of all of it are free, in chunks or not."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="5",
    caught_by=("preempt_admits_nobody", "preempt_in_recompute", "preempt_abort_recomputing"),
    file="scheduler.py",
    changes=(
        (
            """\
not self.can_admit(sequence.request, num_tokens):
""",
            """\
not self.can_admit(sequence.request, sequence.num_uncomputed_tokens):
""",
        ),
    ),
)
