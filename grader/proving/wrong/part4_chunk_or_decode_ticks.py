"""A tick computes either prefills or decodes, never both, as in nano-vllm."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="4",
    caught_by=("chunk_longer_than_budget", "chunk_running_order", "chunk_mixed"),
    file="scheduler.py",
    changes=(
        (
            """\
        for sequence in list(self.running.values()):
""",
            """\
        is_prefill = any(s.num_uncomputed_tokens > 1 for s in self.running.values())
        for sequence in list(self.running.values()):
            if is_prefill and sequence.num_uncomputed_tokens == 1:
                continue
""",
        ),
    ),
)
