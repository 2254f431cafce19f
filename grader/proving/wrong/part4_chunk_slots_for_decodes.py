"""A slot is taken when the prompt is complete."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="4",
    caught_by=("chunk_slots", "chunk_last_samples"),
    file="scheduler.py",
    changes=(
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
    ),
)
