"""Prefill_chunk_size is what all sequences together compute in a tick."""

PART = "4"
CAUGHT_BY = ["chunk_size_per_sequence", "chunk_size_and_budget", "chunk_several"]
FILE = "scheduler.py"
CHANGES = [
    (
        "self.schedule_running(self.config.max_num_batched_tokens or sys.maxsize, preempted)",
        """\
self.schedule_running(
            min(self.config.max_num_batched_tokens or sys.maxsize, self.chunk_size()), preempted
        )""",
    ),
]
