"""Prefill_chunk_size is what all sequences together compute in a tick."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="4",
    caught_by=("chunk_size_per_sequence", "chunk_size_and_budget", "chunk_several"),
    file="scheduler.py",
    changes=(
        (
            "self.schedule_running(self.config.max_num_batched_tokens or sys.maxsize, preempted)",
            """\
self.schedule_running(
            min(self.config.max_num_batched_tokens or sys.maxsize, self.chunk_size()), preempted
        )""",
        ),
    ),
)
