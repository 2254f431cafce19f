"""A chunk has prefill_chunk_size tokens; a new prompt waits until the budget holds a full one."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="4",
    caught_by=("chunk_size_and_budget", "chunk_mixed"),
    file="scheduler.py",
    changes=(
        (
            """\
            if self.config.enable_chunked_prefill:
                num_tokens = min(num_tokens, budget)
""",
            """\
            if self.config.enable_chunked_prefill and self.config.prefill_chunk_size is None:
                num_tokens = min(num_tokens, budget)
""",
        ),
    ),
)
