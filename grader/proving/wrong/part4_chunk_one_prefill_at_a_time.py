"""While a prompt is partly computed, no other prompt is begun."""

PART = "4"
CAUGHT_BY = ["chunk_several", "chunk_size_per_sequence"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
len(self.running) < self.config.max_num_seqs and budget > 0:
""",
        """\
len(self.running) < self.config.max_num_seqs and budget > 0:
            if any(self.scheduled[i] < s.num_uncomputed_tokens for i, s in self.running.items()):
                break
""",
    ),
]
