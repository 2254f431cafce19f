"""While a prompt is partly computed, no other prompt is begun."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="4",
    caught_by=("chunk_several", "chunk_size_per_sequence"),
    file="scheduler.py",
    changes=(
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
    ),
)
