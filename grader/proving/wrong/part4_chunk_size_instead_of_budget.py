"""With prefill_chunk_size set, new prompts are cut to it and no longer to the budget."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="4",
    caught_by=("chunk_size_and_budget",),
    file="scheduler.py",
    changes=(
        (
            """\
            if self.config.enable_chunked_prefill:
                num_tokens = min(num_tokens, budget)
            if num_tokens > budget or not""",
            """\
            if self.config.enable_chunked_prefill and self.config.prefill_chunk_size is None:
                num_tokens = min(num_tokens, budget)
            if (not self.config.enable_chunked_prefill and num_tokens > budget) or not""",
        ),
    ),
)
