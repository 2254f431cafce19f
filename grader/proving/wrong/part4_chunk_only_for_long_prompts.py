"""Chunks are for prompts that are longer than the whole budget; a shorter one waits until it fits."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="4",
    caught_by=("chunk_cut_to_budget", "chunk_before_queue"),
    file="scheduler.py",
    changes=(
        (
            """\
            if self.config.enable_chunked_prefill:
                num_tokens = min(num_tokens, budget)
""",
            """\
            if sequence.num_tokens > (self.config.max_num_batched_tokens or sys.maxsize):
                num_tokens = min(num_tokens, budget)
""",
        ),
    ),
)
