"""A slot is taken when the prompt is complete."""

PART = "4"
CAUGHT_BY = ["chunk_slots", "chunk_last_samples"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
len(self.running) < self.config.max_num_seqs and budget > 0:
""",
        """\
(
            sum(s.num_uncomputed_tokens <= self.scheduled[i] for i, s in self.running.items())
            < self.config.max_num_seqs
            and budget > 0
        ):
""",
    ),
]
