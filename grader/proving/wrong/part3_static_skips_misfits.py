"""A static batch is packed as full as possible."""

PART = "3"
CAUGHT_BY = ["static_batch_ends_at_first_misfit"]
FILE = "scheduler.py"
CHANGES = [
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
]
