"""A tick computes either prefills or decodes, never both, as in nano-vllm."""

PART = "4"
CAUGHT_BY = ["chunk_longer_than_budget", "chunk_running_order", "chunk_mixed"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
        for request_id, sequence in list(self.running.items()):
""",
        """\
        is_prefill = any(s.num_uncomputed_tokens > 1 for s in self.running.values())
        for request_id, sequence in list(self.running.items()):
            if is_prefill and sequence.num_uncomputed_tokens == 1:
                continue
""",
    ),
]
