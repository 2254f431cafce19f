"""A static batch is packed as full as possible."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="3",
    caught_by=("static_batch_ends_at_first_misfit",),
    file="scheduler.py",
    changes=(
        (
            """\
        while self.waiting and len(self.running) < self.config.max_num_seqs:
            sequence = next(iter(self.waiting.values()))
            if not self.worst_case_fits(sequence.request):
                break
""",
            """\
        for sequence in list(self.waiting.values()):
            if len(self.running) == self.config.max_num_seqs:
                break
            if not self.worst_case_fits(sequence.request):
                continue
""",
        ),
    ),
)
